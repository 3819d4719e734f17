// The contract between the page's maker (engine/site) and the page's script.
//
// Everything that a reader sees was rendered to HTML when the page was made: code, prose, mathematics, and every distinct
// value. The script only moves: it marks rows, swaps fragments in and out, and keeps the address up to date.
//
// The page, NAME/index.html (site_templates/lecture.mustache), ends with two classic scripts: assets/viewer.js, which
// defines the global function `lectern`, and then steps.js beside the page: one call, `lectern({...})`, of the PageData
// below. A page whose steps.js is missing has made no call when DOMContentLoaded comes. What works only with script has
// the attribute `hidden` until the script runs: `.tools`, `.env`, `.bar`. Buttons say what they do in data-action: first,
// over-back, back, step, over, out, reveal, raw, notes, env, theme, help. Other ids: lecture (main), stack, vars, output,
// progress (a range input, 0 to the last step), where, live (aria-live), message (role alert).
//
// The HTML holds the title block, then for each file of the lecture, in order:
//
//   <header class="title">…h1, .meta, .description…</header>      it has data-site when a statement gave the front matter
//   <section class="source" data-source="0">
//     <h2 class="path">file.cpp</h2>                                only when the lecture has several files
//     <div class="row code" id="s0-12" data-line="12">          one per line of code that is shown
//       <a class="n" href="#s0-12">12</a>
//       <pre class="c"><code class="src">…highlighted…</code><span class="chips"></span></pre>
//     </div>
//     <div class="row shown" id="s0-15" data-line="15" data-end="16" data-site="7">   a statement of hooks only
//       <a class="n" href="#s0-15">15</a>
//       <div class="slot">…what the last execution rendered…</div>
//     </div>
//     <div class="row code raw" id="s0-15r" …>                  the same lines as code; visible in raw view only
//     <div class="row under" data-site="9"><div class="slot">…</div></div>   what a statement that is not a hook rendered
//   </section>
//
// Row classes set by the maker: code, shown, under, raw (shown in raw view only; `shown` and `under` are not), never (no
// statement of this line ran), hide (@hide: raw view only), blank (an empty line between code), quiet (a shown row that
// holds nothing but speaker's notes), untraced (a function that is not stepped; title says why), ended (the run ended
// here); `first` and `last` of a run of code rows. Inside the code,
// <span class="directive"> is visible in raw view only. Set by the script: now (the current statement;
// the title block where that gave the front matter), calling (a caller's current statement), ahead (not reached yet, under
// gradual reveal).
//
// Chips stand in .chips at the last line of their statement: <span class="chip" data-site="9" data-name="x"
// title="TYPE">x <i>TEXT</i></span> with TYPE and TEXT of `values`. Claims: <span class="verdict" data-site="10">…</span>
// filled with the fragment of `claims`: <span class="ok">✓ 128 == 128</span> or <span class="bad">✗ …</span>. Without
// script they hold the final values.
//
// Classes inside slots: prose (Markdown), fig (a figure with a caption), image, video, table, verbatim, system, box (card), callout
// with callout-TYPE
// or `exercise` (each with .box-title), note (speaker's, hidden unless N), scroll (around tables), shown-value, a.ref (a reference) followed
// by span.card (its hover card, to show on hover and focus; both in span.cite), a.fn (link to a function), plot, graph. A plot has
// .chart, empty and as high as the plot will be, in which the script draws what details > pre, its specification, says; failed if
// that cannot be drawn. Inside values: num,
// str, esc, seq (inline list), items (list of nested values), grid (table of numbers), fields (dl), map (table), to
// (pointer), share (a mark for an object met twice), cut (left out), none, tensor (a grid of which the cells have shades: p1 …
// p7 above 0, n1 … n7 below; figures with button.legend, which the script switches the shades off with; facts; details.layout),
// storage (a mark with data-storage, the storage's number: the script joins those of one storage). Code: k m t f cm s p; h (a
// hyphen, after which no line is broken). An image of class themed has colours for dark pages; any other needs a light ground.

/** Indices into the page's tables, unless a comment says otherwise. -1: none. */
export interface PageData {
  /** [name, source, first line, last line] */
  functions: [string, number, number, number][];
  /** [source, first line, last line, function, kind, identity]; kind as in the trace: "", "hook", "claim", … */
  sites: [number, number, number, number, string, string][];
  /** [parent stack or -1, calling site or -1, function, name shown] */
  stacks: [number, number, number, string][];

  /** Columns of the steps; all of one length. `enter` and `after` list only the steps that have them. */
  at: number[];
  in: number[];
  enter: Record<string, number>;
  after: number[];
  /** What a step changed; keys are step numbers from 0. Values are indices into `values`. */
  vars: Record<string, [string, number][]>;
  clear: Record<string, string[]>;
  /** Index into `html`: what the step rendered, for the slot of its site. */
  show: Record<string, number>;
  /** Indices into `html`: claims of the step. */
  claims: Record<string, number>;
  /** Printed text: index into `html`, for the panel. */
  out: Record<string, number>;
  /** How the run ended early: index into `html`, at the last step. */
  ended: number;

  /** Distinct values: [type, one-line text for chips, index into html for the panel]. */
  values: [string, string, number][];
  /** HTML fragments, safe to insert. */
  html: string[];
}
