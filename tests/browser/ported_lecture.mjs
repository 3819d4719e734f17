// A lecture in C++ and the same one in Python, which edtrace recorded and `lectern import` read: for what shows both. Each has
// something that the other lacks.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const cpp = `#include <lectern/lecture.h>

using namespace lectern;

double mean(const std::vector<double>& numbers) {
  double sum = 0;
  for (double number : numbers) {
    sum += number;  // @inspect sum
  }
  return sum / static_cast<double>(numbers.size());
}

void check_sizes(std::size_t size) {
  assert(size > 0);
}

struct RunningMean {
  double add(double number) {
    total += number;  // @inspect total
    return total / ++count;
  }
  double total = 0;
  int count = 0;
};

int main() {
  text("## The mean");
  text("The mean of $n$ numbers is $\\\\frac{1}{n} \\\\sum_i x_i$.");
  const double m = mean({1, 2, 6});  // @inspect m
  check_sizes(3);
  text("## One by one");
  RunningMean running;
  double last = running.add(4);  // @inspect last
  last = running.add(8);         // @inspect last
  text("Nothing but the total is kept.");
}
`.split("\n").slice(0, -1);

const python = `from edtrace import text


def mean(numbers):
    sum = 0
    for number in numbers:
        sum += number  # @inspect sum
    return sum / len(numbers)


class RunningMean:
    def __init__(self):
        self.total = 0
        self.count = 0

    def add(self, number):
        self.total += number  # @inspect self.total
        self.count += 1
        return self.total / self.count


def aside():
    text("Python has the module *statistics* for it.")


def main():
    text("## The mean")
    text("The mean of $n$ numbers is $\\\\frac{1}{n} \\\\sum_i x_i$.")
    m = mean([1, 2, 6])  # @inspect m
    aside()
    text("## One by one")
    running = RunningMean()
    last = running.add(4)  # @inspect last
    last = running.add(8)  # @inspect last
    text("Nothing but the total is kept.")


if __name__ == "__main__":
    main()
`.split("\n").slice(0, -1);

const at = (lines, text) => lines.findIndex((line) => line.includes(text)) + 1;
const texts = (lines, line) => /text\("(.*)"\)/.exec(lines[line - 1])?.[1].replaceAll("\\\\", "\\");

/** A run: each entry is a text of the line, within the calls that are open; "(" opens one of a function, ")" closes it. */
function run(lines, entries) {
  const calls = [];
  const steps = [];
  for (const entry of entries) {
    const [text, vars = {}] = [entry].flat();
    if (text.startsWith("(")) calls.push({ name: text.slice(1), line: 0 });
    else if (text === ")") calls.pop();
    else {
      calls.at(-1).line = at(lines, text);
      steps.push({ frames: calls.map((call) => ({ ...call })), vars, shown: texts(lines, at(lines, text)) });
    }
  }
  return steps;
}

const passes = (values, loop, body, name) => values.flatMap((value, i) => [loop, [body, { [name]: values.slice(0, i + 1).reduce((a, b) => a + b) }]]);
const cppSteps = run(cpp, [
  "(main", '"## The mean', "The mean of",
  "m = mean", "(mean", "double sum", ...passes([1, 2, 6], "for (", "sum +=", "sum"), "for (", "return sum", ")", ["m = mean", { m: 3 }],
  "check_sizes(3", "(check_sizes", "assert(size", ")",
  '"## One', "RunningMean running",
  "add(4)", "(RunningMean::add", ["total +=", { total: 4 }], "return total", ")", ["add(4)", { last: 4 }],
  "add(8)", "(RunningMean::add", ["total +=", { total: 12 }], "return total", ")", ["add(8)", { last: 6 }],
  '"Nothing',
]);
const pythonSteps = run(python, [
  "(main", "def main", '"## The mean', "The mean of",
  "m = mean", "(mean", "def mean", "sum = 0", ...passes([1, 2, 6], "for number", "sum +=", "sum"), "for number", "return sum", ")", ["m = mean", { m: 3 }],
  "    aside()", "(aside", "def aside", "statistics", ")",
  '"## One',
  "running = ", "(__init__", "def __init__", "self.total = 0", "self.count = 0", ")",
  "add(4)", "(add", "def add", ["self.total +=", { "self.total": 4 }], "self.count +=", "return self", ")", ["add(4)", { last: 4 }],
  "add(8)", "(add", "def add", ["self.total +=", { "self.total": 12 }], "self.count +=", "return self", ")", ["add(8)", { last: 6 }],
  '"Nothing',
]);

function traceOfCpp(profile) {
  const records = [{ source: 0, path: "averages.cpp", language: "cpp", lines: cpp }];
  const functions = new Map();
  for (const [name, head, end] of [["mean", "double mean", 11], ["check_sizes", "void check", 15], ["RunningMean::add", "double add", 21], ["main", "int main", cpp.length]]) {
    records.push({ function: functions.size, name, source: 0, span: [at(cpp, head), 1, end, 2] });
    functions.set(name, functions.size);
  }
  const numbers = { site: new Map(), stack: new Map() };
  const number = (kind, key, record) => {
    if (!numbers[kind].has(key)) {
      records.push({ [kind]: numbers[kind].size, ...record });
      numbers[kind].set(key, numbers[kind].size);
    }
    return numbers[kind].get(key);
  };
  let before = [];
  const steps = [];
  for (const { frames, vars, shown } of cppSteps) {
    let stack;
    let site;
    for (const { name, line } of frames) {
      stack = number("stack", [stack, site, name].join(), { function: functions.get(name), ...(stack === undefined ? {} : { parent: stack, call: site }) });
      const text = cpp[line - 1].replace(/ *\/\/.*/, "");
      site = number("site", line, { function: functions.get(name), span: [line, text.search(/\S/) + 1, line, text.length + 1], ...(shown === undefined || line !== frames.at(-1).line ? {} : { kind: "hook" }) });
    }
    const step = { at: site, in: stack };
    if (frames.length > before.length) step.enter = 1;
    if (frames.length < before.length && before[frames.length - 1].line === frames.at(-1).line) step.after = true;
    if (Object.keys(vars).length > 0) step.vars = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { type: "double", value }]));
    if (shown !== undefined) step.show = [{ kind: "text", markdown: shown }];
    steps.push(step);
    before = frames;
  }
  records.push(...steps, { end: "return", steps: steps.length });
  return JSON.stringify({ format: "lectern-trace/1", lecture: "averages", profile: { name: profile }, records });
}

function traceOfPython() {
  const steps = pythonSteps.map(({ frames, vars, shown }) => ({
    stack: frames.map(({ name, line }) => ({ path: "averages.py", line_number: line, function_name: name, code: python[line - 1].trim() })),
    env: vars,
    renderings: shown === undefined ? [] : [{ type: "markdown", data: shown, style: {}, external_link: null, internal_link: null }],
    stdout: "",
    stderr: "",
  }));
  return JSON.stringify({ files: { "averages.py": `${python.join("\n")}\n` }, steps });
}

/** Steps, by number, in which a line is shown; each run's. */
export const stepsAt = {
  first: (text) => cppSteps.flatMap(({ frames }, step) => (frames.at(-1).line === at(cpp, text) ? [step] : [])),
  other: (text) => pythonSteps.flatMap(({ frames }, step) => (frames.at(-1).line === at(python, text) ? [step] : [])),
};

/** Puts both traces into a folder, as those of a course are; the Python one by `lectern import`. Returns their paths. */
export function recordBoth(folder) {
  const [first, original, other] = ["traces/cpu/averages.json", "original.json", "traces/python/averages.json"].map((name) => join(folder, name));
  mkdirSync(join(folder, "traces/cpu"), { recursive: true });
  mkdirSync(join(folder, "traces/python"), { recursive: true });
  writeFileSync(first, traceOfCpp("cpu"));
  writeFileSync(original, traceOfPython());
  execFileSync(process.env.LECTERN_BIN, ["import", original, "-o", other]);
  return [first, other];
}
