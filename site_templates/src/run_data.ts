// PageData as the script uses it.

import { Bindings, decode, StepNumbers } from "./columns";
import type { PageData } from "./data";

/** The distinct values. */
class Values {
  private readonly typeNumbers: Int32Array;
  private readonly textNumbers: Int32Array;
  private readonly fragments: Int32Array;
  private texts: string[] | undefined;

  constructor(private readonly data: PageData["values"]) {
    this.typeNumbers = decode(data.type);
    this.textNumbers = decode(data.text);
    this.fragments = decode(data.html);
  }

  type(value: number): string {
    return this.data.types[this.typeNumbers[value]!]!;
  }
  /** One line, for chips. */
  text(value: number): string {
    this.texts ??= this.data.texts.split("\n");
    return this.texts[this.textNumbers[value]!]!;
  }
  /** Its text; of a value without one its type. */
  words(value: number): string {
    return this.text(value) || this.type(value);
  }
  /** The number of the fragment for the panel. */
  html(value: number): number {
    return this.fragments[value]!;
  }
}

/** Of each stack its parent or -1, the calling site or -1, its function, and a name where that is not the function's. */
class Stacks {
  readonly parents: Int32Array;
  readonly calls: Int32Array;
  readonly functions: Int32Array;
  readonly names: Record<string, string>;

  constructor({ parents, calls, functions, names }: PageData["stacks"]) {
    this.parents = decode(parents);
    this.calls = decode(calls);
    this.functions = decode(functions);
    this.names = names;
  }
}

export class RunData {
  readonly functions = this.page.functions;
  readonly sites = this.page.sites;
  readonly enter = this.page.enter;
  readonly leftOut = this.page.leftOut;
  readonly ended = this.page.ended;
  readonly html = this.page.html;
  readonly files = this.page.files;
  readonly stacks = new Stacks(this.page.stacks);
  readonly at = decode(this.page.at);
  readonly in = decode(this.page.in);
  readonly after = decode(this.page.after);
  readonly vars = new Bindings(this.page.vars, this.page.names);
  readonly args = new Bindings(this.page.args, this.page.names);
  readonly left = new Bindings(this.page.left, this.page.names);
  readonly clear = new Bindings(this.page.clear, this.page.names);
  readonly show = new StepNumbers(this.page.show);
  readonly claims = new StepNumbers(this.page.claims);
  readonly out = new StepNumbers(this.page.out);
  readonly values = new Values(this.page.values);

  constructor(private readonly page: PageData) {}
}
