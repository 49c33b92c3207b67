// SPDX-License-Identifier: Apache-2.0
// Runs @vercel/cosmosdb-server: node cosmos-server.js MODULE_FOLDER PORT. Ends when its standard input does.
"use strict";
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

// The module does not know query plans, which clients ask for before a query over all partitions. This one is for queries of
// the form SELECT * FROM c WHERE condition ORDER BY c.a, c.b, with what the service answers to them.
const queryDocuments = require(folder + "/lib/handler/query-documents");
const query = queryDocuments.default;
const readJson = require(folder + "/lib/json").default;
queryDocuments.default = async (account, req, res, params) => {
  if (String(req.headers["x-ms-cosmos-is-query-plan-request"]).toLowerCase() !== "true") {
    return query(account, req, res, params);
  }
  const text = (await readJson(req)).query;
  const parts = /^SELECT \* FROM c WHERE (.+) ORDER BY (.+)$/.exec(text);
  if (!parts) {
    res.statusCode = 400;
    return { code: "BadRequest", message: "this server plans no such query" };
  }
  const order = parts[2].split(",").map(expression => expression.trim());
  const items = order.map(expression => `{"item": ${expression}}`).join(", ");
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: "None",
      top: null,
      offset: null,
      limit: null,
      orderBy: order.map(() => "Ascending"),
      orderByExpressions: order,
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery:
        `SELECT c._rid, [${items}] AS orderByItems, c AS payload FROM c ` +
        `WHERE (${parts[1]}) AND ({documentdb-formattableorderbyquery-filter}) ORDER BY ${order.join(", ")}`,
      hasSelectValue: false
    },
    queryRanges: [{ min: "", max: "FF", isMinInclusive: true, isMaxInclusive: false }]
  };
};

require(folder)
  .createHttpsServer({ keepAlive: true })
  .listen(Number(port), "127.0.0.1");
