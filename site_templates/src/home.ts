import { initTools } from "./theme_switch";

initTools();
