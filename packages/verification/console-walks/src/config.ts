/** The settings of a platform in a folder, beside those that this process was started with. */
export function sandboxEnvironment(folder: string, port: number) {
  const own = { DATA_DIR: folder, PORT: String(port), LOG_LEVEL: "warn", LOG_FORMAT: "json" };
  return { ...process.env, ...own };
}
