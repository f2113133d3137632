import { expect, test } from "vitest";
import { withDatabase } from "./engine.ts";

test.each([
  ["mongodb://h", "mongodb://h/quote"],
  ["mongodb://h:1/", "mongodb://h:1/quote"],
  ["mongodb://a:1,b:2/?replicaSet=rs", "mongodb://a:1,b:2/quote?replicaSet=rs"],
  ["mongodb+srv://h/old?w=1", "mongodb+srv://h/quote?w=1"],
  [
    "mongodb://%2Ftmp%2Fx.sock/?directConnection=true",
    "mongodb://%2Ftmp%2Fx.sock/quote?directConnection=true",
  ],
  ["mongodb://u:p@h/", "mongodb://u:p@h/quote?authSource=admin"],
  ["mongodb://u:p@h/users", "mongodb://u:p@h/quote?authSource=users"],
  ["mongodb://u:p@h/users?authSource=x", "mongodb://u:p@h/quote?authSource=x"],
  ["mongodb://u@h/?authMechanism=MONGODB-X509", "mongodb://u@h/quote?authMechanism=MONGODB-X509"],
])("puts the database into %s", (uri, expected) => {
  expect(withDatabase(uri, "quote")).toBe(expected);
});

test.each(["", "localhost:27017", "http://h/", "mongodb:///x"])(
  "refuses %j by the setting's name",
  (uri) => {
    expect(() => withDatabase(uri, "quote")).toThrow("MONGODB_URI");
  },
);
