// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.database;

import io.safebunny.test.database.CosmosUpstream.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Executes a transactional batch of Cosmos DB with single requests: checks all preconditions first, and writes nothing if one fails. The
 * caller must keep other writers out in the meantime.
 */
final class CosmosBatch {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final byte[] NOTHING = {};
    private static final int OK = 200;
    private static final int MULTI_STATUS = 207;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_FAILED = 412;
    private static final int FAILED_DEPENDENCY = 424;

    private CosmosBatch() {}

    /** One request about one document of the batch's partition. */
    @FunctionalInterface
    interface Single {
        /** @param below path of the document, relative to the path of the batch */
        Answer send(String method, String below, Map<String, String> headers, byte[] body)
                throws IOException, InterruptedException;
    }

    /** The ids of the documents of a batch. */
    static List<String> ids(byte[] batch) {
        List<String> ids = new ArrayList<>();
        JSON.readTree(batch).forEach(operation -> ids.add(id(operation)));
        return ids;
    }

    /** The id of a document. */
    static String idOf(byte[] document) {
        return JSON.readTree(document).path("id").stringValue();
    }

    static Answer execute(byte[] batch, Single single) throws IOException, InterruptedException {
        List<JsonNode> operations = new ArrayList<>();
        JSON.readTree(batch).forEach(operations::add);
        for (int i = 0; i < operations.size(); i++) {
            int refusal = refusal(operations.get(i), single);
            if (refusal != 0) {
                return refused(operations.size(), i, refusal);
            }
        }
        ArrayNode results = JSON.createArrayNode();
        Answer last = new Answer(OK, Map.of(), NOTHING);
        for (JsonNode operation : operations) {
            last = write(operation, single);
            ObjectNode result =
                    results.addObject().put("statusCode", last.status()).put("requestCharge", 1.0);
            if (last.status() < BAD_REQUEST) {
                result.put("eTag", JSON.readTree(last.body()).path("_etag").stringValue());
            }
        }
        return new Answer(OK, last.headers(), JSON.writeValueAsBytes(results));
    }

    /** The status with which the operation must be refused; 0 if it can be carried out. */
    private static int refusal(JsonNode operation, Single single) throws IOException, InterruptedException {
        Answer there = single.send("GET", "/" + id(operation), Map.of("Accept", "application/json"), NOTHING);
        boolean isThere = there.status() == OK;
        if (!isThere && there.status() != NOT_FOUND) {
            return there.status();
        }
        return switch (operation.path("operationType").stringValue()) {
            case "Create" -> isThere ? CONFLICT : 0;
            case "Replace" -> isThere ? precondition(operation, there) : NOT_FOUND;
            default -> BAD_REQUEST;
        };
    }

    private static int precondition(JsonNode operation, Answer there) {
        String asked = operation.path("ifMatch").asString("");
        String stored = JSON.readTree(there.body()).path("_etag").stringValue();
        return asked.isEmpty() || asked.equals(stored) ? 0 : PRECONDITION_FAILED;
    }

    private static Answer write(JsonNode operation, Single single) throws IOException, InterruptedException {
        byte[] document = JSON.writeValueAsBytes(operation.path("resourceBody"));
        Map<String, String> json = Map.of("Content-Type", "application/json");
        return operation.path("operationType").stringValue().equals("Create")
                ? single.send("POST", "", json, document)
                : single.send("PUT", "/" + id(operation), json, document);
    }

    private static String id(JsonNode operation) {
        return operation.path("resourceBody").path("id").stringValue();
    }

    private static Answer refused(int operations, int refused, int status) {
        ArrayNode results = JSON.createArrayNode();
        for (int i = 0; i < operations; i++) {
            results.addObject()
                    .put("statusCode", i == refused ? status : FAILED_DEPENDENCY)
                    .put("requestCharge", 0.5);
        }
        return new Answer(
                MULTI_STATUS,
                Map.of("content-type", List.of("application/json")),
                results.toString().getBytes(StandardCharsets.UTF_8));
    }
}
