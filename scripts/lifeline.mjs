// Loaded before a program that was started in the foreground: asks the program to end when its
// starter has gone, which closes file descriptor 3 however it dies. Node hands its own loading
// options on to workers and forks, for whom that descriptor is something else.
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
