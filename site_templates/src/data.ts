// The contract between the page's maker (engine/site) and the page's script.
//
// Everything that a reader sees was rendered to HTML when the page was made: code, prose, mathematics, and every distinct
// value. The script only moves: it marks rows, swaps fragments in and out, and keeps the address up to date.
//
// The page, NAME/index.html (site_templates/lecture.mustache), is painted before its two deferred classic scripts run:
// assets/viewer.js, which defines the global function `lectern`, and then steps.js beside the page: one call,
// `lectern({...})`, of the PageData below. A page whose steps.js is missing has made no call when DOMContentLoaded comes. What works only with script has
// the attribute `hidden` until the script runs: `.tools`, `.env`, `.bar`. Buttons say what they do in data-action: first,
// over-back, back, step, over, out, play, outline, reveal, raw, notes, env, present, theme, help. Other ids: lecture (main), outline, stack,
// vars, output, costs, progress (a range input, 0 to the last step), where, live (aria-live), message (role alert).
//
// A lecture that was recorded on several devices has a page per run, the further ones in NAME/PROFILE/. On each, nav.runs has a
// link to every run by its data-profile, aria-current on the page's own; data-runs of the root element names the profiles beneath it.
//
// The page of a run of several processes is that of its rank 0; data-ranks of the root element says that ranks.js (ranks_data.ts) has
// the others, which the script puts into section#ranks. details.ranks ends the page with what differs between them.
//
// The HTML holds the title block, then the functions, classes and declarations of the lecture in the order of the run
// (engine/site/parts.h). Consecutive ones of a file are a section; a file may have several:
//
//   <header class="title">…h1, .meta, .description…</header>      it has data-site when a statement gave the front matter
//   <section class="source" data-source="0">
//     <p class="path">file.cpp</p>                              only when the lecture has several files
//     <div class="part" data-line="12">                         by its first line; its rows in blocks, div.block: near (in
//                                                               the first window), tall (if that is high), raw (seen in raw
//                                                               view only); what follows them is tall or far, too
//       <div class="row code" id="s0-12" data-line="12">        one per line of code that is shown
//         <a class="n" href="#s0-12">12</a>
//         <pre class="c"><code>…highlighted…</code></pre>
//       </div>
//       <div class="row shown" id="s0-15" data-line="15" data-end="16" data-site="7">   a statement of hooks only
//         <a class="n" href="#s0-15">15</a>
//         <div class="slot">…what the last execution rendered…</div>
//       </div>
//       <template></template>                                   in place of rows that only raw view shows; source.js has them:
//       <div class="row code raw" id="s0-15r" …>                the same lines as code, say (source_rows.ts)
//       <div class="row under" data-site="9"><div class="slot">…</div></div>   what a statement that is not a hook rendered
//     </div>
//     <div class="part" data-line="30">                         what the run never entered
//       <details class="fold"><summary><code>struct Config {</code> <span class="lines">8 lines</span></summary>…rows…</details>
//     </div>
//   </section>
//
// The outermost function is divided: what it calls stands between its calls. A part has the id of the function's head where that
// is not shown, and --out, the columns by which its code is set back. The terms and the works that the text refers to follow,
// section.terms and section.references.
//
// What the run cost ends the page (details.costs, engine/site/costs.h): figures .cost-curve by data-kind (memory, categories, time,
// flops), lists of .frame in .flame, tables .cost-table by data-kind (function, line; data-all counts what there is).
// costs_data.ts says what the script loads for it.
//
// Row classes set by the maker: code, shown, under, raw (shown in raw view only; `shown` and `under` are not), never (no
// statement of this line ran), hide (@hide: raw view only), blank (an empty line between code), aside (what only leads on: a call of
// main, the head of a function of prose), quiet (a shown row that
// holds nothing but speaker's notes), untraced (a function that is not stepped; title says why), ended (the run ended
// here); `first` and `last` of a run of code rows. Inside the code,
// <span class="directive"> is visible in raw view only. Set by the script: now (the current statement;
// the title block where that gave the front matter), calling (a caller's current statement), ahead (not reached yet, under
// gradual reveal), break (a breakpoint); within values differs (other than before), and covered (still to be guessed).
//
// Chips stand in <span class="chips">, after the code of the last line of their statement: <span class="chip" data-site="9" data-name="x"
// title="TYPE">x <i>TEXT</i></span> with TYPE and TEXT of `values`. Claims: <span class="verdict" data-site="10">…</span>
// filled with the fragment of `claims`: <span class="ok">✓ 128 == 128</span> or <span class="bad">✗ …</span>. Without
// script they hold the final values. <span class="left-out"> at a loop's header says how many of its passes are not shown.
//
// Classes inside slots: prose (Markdown), fig (a figure with a caption), image, video, table, verbatim, system, box (card), callout
// with callout-TYPE
// or `exercise` (each with .box-title), note (speaker's, hidden unless N), scroll (around tables), shown-value, a.ref (a reference) followed
// by span.card (its hover card, to show on hover and focus; both in span.cite), dfn.term (a term with its definition, span.meaning),
// a.ref in span.term (a term; its card is made of the definition that describes it), a.fn (link to a function), plot, graph (with
// svg.graph-picture, and its edges in details). A plot has .chart, as high as the plot will be, with pictures (svg.still: wide
// and narrow, or own, of a size of its own; in the HTML, not in fragments), in which the script draws what details > pre, its
// specification, says; failed if that cannot be drawn. Without a picture .plot-data follows, a table. Inside values: num, str,
// esc, seq (inline list), items (list of nested values), grid (table of numbers), fields (dl), map (table), to (pointer),
// details.tree (a large part, its type and .total in the summary), share (a mark for an object met twice), cut (left out),
// none, tensor (a grid of which the cells have shades: p1 … p7 above 0, n1 … n7 below; svg.histogram; figures with
// button.legend, which the script switches the shades off with; facts; details.layout), storage (a mark with data-storage, the
// storage's number, and the bytes that the tensor spans, data-from to data-to of data-bytes: the script joins those of one
// storage). Code: k m t f cm s p; h (a hyphen, after which no line is broken). An image of class themed has colours for dark
// pages; any other needs a light ground.

/** Numbers, as a text: of each its difference from the one before, as base 64 VLQ (columns.ts). */
export type Column = string;

/** Names with values, an entry for each: its step, from 0, ascending; index into `names`; index into `values`. */
interface BindingColumns {
  steps: Column;
  names: Column;
  values: Column;
}

/** Numbers that some steps have. */
interface StepColumns {
  steps: Column;
  numbers: Column;
}

/** Indices into the page's tables, unless a comment says otherwise. -1: none. */
export interface PageData {
  /** [name, source, first line, last line] */
  functions: [string, number, number, number][];
  /**
   * [source, first line, last line, function, kind, identity, of a loop how many of the next sites are in it]; kind as in the
   * trace: "", "hook", "claim", …
   */
  sites: [number, number, number, number, string, string, number?][];
  /** Parent stacks or -1, calling sites or -1, functions; by stack the name shown where it is not the function's. */
  stacks: { parents: Column; calls: Column; functions: Column; names: Record<string, string> };

  /**
   * Columns of the steps; `at` and `in` of one length. `enter` lists only the steps that entered more functions than their
   * stack is deeper than that of the step before, `after` those that come after a call.
   */
  at: Column;
  in: Column;
  enter: Record<string, number>;
  after: Column;
  /**
   * Passes of loops that were not recorded, in order: [the step before which they ran, the loop's site, the stack of its
   * activation, how many passes, [site of that activation, times it ran][], [function, activations][]]
   */
  leftOut: [number, number, number, number, [number, number][], [number, number][]][];
  /** What a step changed. */
  vars: BindingColumns;
  /** The arguments of the activation whose first step it is. */
  args: BindingColumns;
  /** What went out of scope before the step, with -1, or with the value of the variable of that name that it hid. */
  left: BindingColumns;
  /** With -1. */
  clear: BindingColumns;
  names: string[];
  /** Indices into `html`: what the step rendered, for the slot of its site. */
  show: StepColumns;
  /** Indices into `html`: claims of the step. */
  claims: StepColumns;
  /** Printed text: indices into `html`, for the panel. */
  out: StepColumns;
  /** How the run ended early: index into `html`, at the last step. */
  ended: number;

  /** Distinct values: index into `types`, which one of `texts`, one-line texts for chips, each on a line; index into `html`, for the panel. */
  values: { type: Column; text: Column; html: Column; types: string[]; texts: string };
  /** HTML fragments, safe to insert: the first ones. Claims are among them. */
  html: string[];
  /**
   * Where the others are, in order: [number of the first in it, name of a file in fragments/]. A classic script, one call,
   * `lecternFragments({first, html})`, or `({first, packed})` (fragment_files.ts).
   */
  files: [number, string][];
}
