// SPDX-License-Identifier: Apache-2.0
// Runs @vercel/cosmosdb-server: node cosmos-server.js MODULE_FOLDER PORT, with the account's key in the environment. Ends when its
// standard input does.
"use strict";
const crypto = require("crypto");
const { Readable } = require("stream");
const [folder, port] = process.argv.slice(2);
process.stdin.on("end", () => process.exit()).on("error", () => process.exit()).resume();

// The module answers the read of a missing document with 500; the service with 404.
const readDocument = require(folder + "/lib/handler/read-document");
const read = readDocument.default;
readDocument.default = (account, req, res, params) => {
  const collection = account.database(params.dbId).collection(params.collId);
  const partition = req.headers["x-ms-documentdb-partitionkey"];
  if (collection.read() && partition && !collection.document(params.docId, JSON.parse(partition)[0]).read()) {
    res.statusCode = 404;
    return { code: "NotFound", message: "Entity with the specified id does not exist in the system." };
  }
  return read(account, req, res, params);
};

// The module does not know query plans, which clients ask for before a query. These are for queries of the forms
// SELECT * FROM c WHERE condition ORDER BY c.a, c.b and SELECT * (or c.a) FROM c (or ROOT r), also with WHERE condition, and
// SELECT VALUE COUNT(1) FROM c WHERE condition, with what the service answers to them.
const queryDocuments = require(folder + "/lib/handler/query-documents");
const query = queryDocuments.default;
const readJson = require(folder + "/lib/json").default;
const COUNTED = 'SELECT VALUE [{"item": COUNT(1)}] ';
const queryInfo = text => {
  const sorted = /^SELECT \* FROM c WHERE (.+) ORDER BY (.+)$/.exec(text);
  const plain = /^SELECT (\*|c\.\w+) FROM (ROOT r|c)($| WHERE (?!.* (ORDER|GROUP|OFFSET) ))/;
  const counted = /^SELECT VALUE COUNT\(1\) (FROM c WHERE .+)$/.exec(text);
  if (counted) {
    return {
      orderBy: [],
      orderByExpressions: [],
      aggregates: ["Count"],
      hasSelectValue: true,
      rewrittenQuery: `${COUNTED}${counted[1]}`
    };
  }
  if (!sorted) {
    return plain.test(text) ? { orderBy: [], orderByExpressions: [], rewrittenQuery: "" } : null; // "": run it as it is
  }
  const order = sorted[2].split(",").map(expression => expression.trim());
  const items = order.map(expression => `{"item": ${expression}}`).join(", ");
  return {
    orderBy: order.map(() => "Ascending"),
    orderByExpressions: order,
    rewrittenQuery:
      `SELECT c._rid, [${items}] AS orderByItems, c AS payload FROM c ` +
      `WHERE (${sorted[1]}) AND ({documentdb-formattableorderbyquery-filter}) ORDER BY ${order.join(", ")}`
  };
};
const again = (req, body, headers) =>
  Object.assign(Readable.from([Buffer.from(JSON.stringify(body))]), { headers: { ...req.headers, ...headers } });
// It refuses a query without a partition key even if the client asks one range of partitions after the other.
const ACROSS = { "x-ms-documentdb-query-enablecrosspartition": "true" };
const asked = headers => (headers["x-ms-documentdb-partitionkeyrangeid"] === undefined ? {} : ACROSS);
// Nor does it count within an array, which is what clients add up, one for each range of partitions.
const count = async (account, req, res, params, body) => {
  const counting = { ...body, query: "SELECT VALUE COUNT(1) " + body.query.slice(COUNTED.length) };
  const answer = await query(account, again(req, counting, ACROSS), res, params);
  return answer.Documents ? { ...answer, Documents: answer.Documents.map(item => [{ item }]) } : answer;
};
queryDocuments.default = async (account, req, res, params) => {
  const body = await readJson(req);
  if (String(req.headers["x-ms-cosmos-is-query-plan-request"]).toLowerCase() !== "true") {
    return String(body.query).startsWith(COUNTED)
      ? count(account, req, res, params, body)
      : query(account, again(req, body, asked(req.headers)), res, params);
  }
  const info = queryInfo(body.query);
  if (!info) {
    res.statusCode = 400;
    return { code: "BadRequest", message: "this server plans no such query" };
  }
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: "None",
      top: null,
      offset: null,
      limit: null,
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      hasSelectValue: false,
      ...info
    },
    queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }]
  };
};

// The module answers everybody, and functions that are stored in it run in this process; the service wants each request signed
// with the account's key. What is signed is the verb, the resource's type, its name (of some, their id in lower case) and the date.
const key = Buffer.from(process.env.SAFEBUNNY_COSMOS_KEY, "base64");
const isSigned = req => {
  const parts = decodeURIComponent(req.url.split("?")[0]).split("/").filter(part => part);
  const isItem = parts.length % 2 === 0;
  const type = parts[parts.length - (isItem ? 2 : 1)] || "";
  const owner = isItem ? parts : parts.slice(0, -1);
  const date = String(req.headers["x-ms-date"] || "");
  const token = /^type=master&ver=1\.0&sig=(.+)$/.exec(decodeURIComponent(req.headers.authorization || ""));
  return token !== null && [owner.join("/"), (owner[owner.length - 1] || "").toLowerCase()].some(name => {
    const text = `${req.method.toLowerCase()}\n${type.toLowerCase()}\n${name}\n${date.toLowerCase()}\n\n`;
    const own = crypto.createHmac("sha256", key).update(text).digest();
    const given = Buffer.from(token[1], "base64");
    return own.length === given.length && crypto.timingSafeEqual(own, given);
  });
};

const server = require(folder).createHttpsServer({ keepAlive: true });
const [answer] = server.listeners("request");
server.removeAllListeners("request");
server.on("request", (req, res) => {
  let signed = false;
  try {
    signed = isSigned(req);
  } catch (malformed) {
    // no percent-encoding: not signed either
  }
  if (signed) {
    answer(req, res);
  } else {
    res.writeHead(401, { "content-type": "application/json", connection: "close" });
    res.end('{"code": "Unauthorized", "message": "The request is not signed with the key of this account."}');
  }
});
server.listen(Number(port), "127.0.0.1");
