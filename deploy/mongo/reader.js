// For mongosh: makes the user `reader`, who may read the six databases and write none, or gives it
// another password. `npm run check:invariants` and `npm run audit:verify` need no more.
// MONGODB_ADMIN_URI and READER_PASSWORD come from the environment, where no list of processes shows them.
const { MONGODB_ADMIN_URI: uri, READER_PASSWORD: pwd } = process.env;
if (!uri || !pwd) throw new Error("MONGODB_ADMIN_URI and READER_PASSWORD must be set");

const services = ["beneficiary", "compliance", "gateway", "notifier", "payout", "quote"];
const roles = services.map((service) => ({ role: "read", db: `disburse_${service}` }));
const admin = new Mongo(uri).getDB("admin");
const { users } = admin.runCommand({ usersInfo: "reader" });
const command = users.length === 0 ? "createUser" : "updateUser";
const { ok, errmsg } = admin.runCommand({ [command]: "reader", pwd, roles });
if (ok !== 1) throw new Error(errmsg);
print("The user reader may read the databases. It authenticates at admin.");
