import { settingsWords } from "./en/settings.ts";
import { textsOf } from "./messages.ts";

/** The texts of a merchant's settings, which few pages load. */
export const settingsTexts = textsOf(settingsWords);
