// Loaded before a program that was started in the foreground: stops it when its starter has ended,
// which closes file descriptor 3. Workers and forks inherit Node's options, not that descriptor.
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";

const starter = Number(new URL(import.meta.url).searchParams.get("starter"));

if (isMainThread && process.ppid === starter) {
  const lifeline = new Socket({ fd: 3, readable: true, writable: false });
  lifeline.on("error", () => undefined);
  lifeline.on("close", () => process.kill(process.pid, "SIGTERM"));
  lifeline.resume();
  lifeline.unref();
}
