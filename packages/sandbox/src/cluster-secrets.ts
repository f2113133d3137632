import type { ClusterConfig } from "./config.ts";

/** Text by key, as a Kubernetes Secret holds it. */
type SecretData = Readonly<Record<string, string>>;

/** The API server of a cluster that starts is slow. */
const timeoutMs = 10_000;

/** A Secret of the job's namespace as the API has it; values are base64. */
type SecretObject = {
  readonly metadata: { readonly name: string };
  readonly data?: SecretData;
};

/** The Secrets of the job's namespace, over the API of its Kubernetes cluster. */
export function openClusterSecrets(config: ClusterConfig) {
  const base = `${config.KUBERNETES_API}/api/v1/namespaces/${config.KUBERNETES_NAMESPACE}/secrets`;
  const request = async (method: string, path: string, expected: number[], object?: object) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: `Bearer ${config.KUBERNETES_TOKEN}`,
        "content-type": "application/json",
      },
      signal: AbortSignal.timeout(timeoutMs),
      ...(object && { body: JSON.stringify(object) }),
    });
    if (!expected.includes(response.status)) {
      // The body could hold what was sent.
      throw new Error(`${method} ${base}${path}: ${response.status}`);
    }
    return response;
  };
  const objectOf = (name: string, data: SecretData) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    stringData: data,
  });
  const create = async (name: string, data: SecretData): Promise<boolean> =>
    (await request("POST", "", [201, 409], objectOf(name, data))).status === 201;
  return {
    /** Creates a Secret; false where there is one of that name, which stays as it is. */
    create,
    /** What a Secret holds; undefined where there is none. */
    read: async (name: string): Promise<SecretData | undefined> => {
      const response = await request("GET", `/${name}`, [200, 404]);
      if (response.status === 404) return undefined;
      const { data = {} } = (await response.json()) as SecretObject;
      return Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
      );
    },
    /** Replaces what a Secret holds, or creates it. */
    write: async (name: string, data: SecretData): Promise<void> => {
      if (await create(name, data)) return;
      await request("PUT", `/${name}`, [200], objectOf(name, data));
    },
  };
}
