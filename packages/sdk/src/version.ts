/** Version of the package, the same as in package.json. */
export const version = "0.1.0";

/** Names the program's library in the platform's logs. */
export const userAgent = `disburse-sdk/${version} node/${process.versions.node}`;
