// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.saga;

import io.safebunny.message.WireMessage;
import tools.jackson.databind.json.JsonMapper;

/**
 * A message published in a transaction of the application, twice for each part of an order.
 *
 * @param run different for each try of the transaction
 * @param number 1 or 2, in the order of the publications
 */
public record Placed(String part, String run, int number) {

    public static final String TYPE = "Placed";

    private static final JsonMapper JSON = new JsonMapper();

    static final int FIRST = 1;
    static final int SECOND = 2;

    /** Its name in the ledger. */
    public String label() {
        return TYPE + ' ' + number;
    }

    public static boolean isFirst(WireMessage message) {
        return TYPE.equals(message.type()) && of(message.body()).number == FIRST;
    }

    public static Placed of(byte[] body) {
        return JSON.readValue(body, Placed.class);
    }
}
