import { networkMatrix } from "./network.ts";
import { kubectl, manifestsOf } from "./overlays.ts";

/** `npm run network-matrix -- overlays/stage` prints the allowed connections. */

const [folder = "overlays/production"] = process.argv.slice(2);
if (kubectl === "") throw new Error("install kubectl 1.30 or later: it renders deploy/k8s");
process.stdout.write(`${networkMatrix(manifestsOf(folder))}\n`);
