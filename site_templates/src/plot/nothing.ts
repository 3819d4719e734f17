// Stands in for the parts of Vega that Vega-Lite does not use (build.mjs).
export {};
