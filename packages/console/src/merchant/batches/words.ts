import { payrollWords } from "../../catalogue/en/payroll.ts";
import { textsOf } from "../../catalogue/messages.ts";

export const words = textsOf(payrollWords);
