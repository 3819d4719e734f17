// Stands for the parts of Vega that Vega-Lite has no use for (build.mjs).
export {};
