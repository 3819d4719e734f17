// What the run cost, for a reader with script: the step's cost beside the text, curves under the slider, columns beside the
// code, tables that sort, a flame graph for the keyboard. What stands in the page without script is in engine/site/costs.h.

import { columnHeads, fillColumns } from "./costs_columns";
import { loadCosts } from "./costs_data";
import { initFlame } from "./costs_flame";
import { rowsOf, StepCost } from "./costs_panel";
import { RunCosts } from "./costs_run";
import { initTables, offerAllLines } from "./costs_table";
import { Timeline } from "./costs_timeline";
import type { Model } from "./model";
import { layOut } from "./paint";
import { rowsCame } from "./source_rows";

const root = document.documentElement;

export class Costs {
  private readonly panel: StepCost;
  private readonly timeline: Timeline;
  private costs: RunCosts | undefined;
  private filled = false;
  private step = 0;

  private constructor(
    private readonly model: Model,
    jump: (step: number) => void,
  ) {
    const heads = [...document.querySelectorAll('.cost-table[data-kind="line"] th[scope="col"]')].map((head) => head.textContent!);
    this.panel = new StepCost(rowsOf(heads));
    this.timeline = new Timeline(model.last, jump);
    columnHeads();
    initTables();
    document.addEventListener(rowsCame, () => {
      this.filled = false;
      this.show();
    });
    initFlame();
    void loadCosts((data) => {
      this.timeline.costs = this.costs = new RunCosts(data);
      offerAllLines(data);
      this.show();
      this.update(this.step);
    });
  }

  /** Undefined on the page of a run without costs. */
  static of(model: Model, jump: (step: number) => void): Costs | undefined {
    return document.querySelector("details.costs") ? new Costs(model, jump) : undefined;
  }

  /** Fills the columns when they are shown first. */
  show(): void {
    if (this.filled || !this.costs || root.dataset.costs !== "on") return;
    this.filled = true;
    layOut();
    fillColumns(this.costs.data);
  }

  update(step: number): void {
    this.step = step;
    this.timeline.update(step);
    if (!this.costs) return;
    const [source, line] = this.model.data.sites[this.model.site(step)]!;
    this.panel.show(this.costs, step, source, line);
  }
}
