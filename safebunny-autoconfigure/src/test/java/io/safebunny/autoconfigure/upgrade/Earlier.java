// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.upgrade;

import io.safebunny.BunnyHandler;
import io.safebunny.BunnyMessage;
import io.safebunny.PoisonMessageException;
import io.safebunny.Upcast;
import tools.jackson.databind.node.ObjectNode;

/** A version that runs, and of which an earlier one has left messages. */
final class Earlier {

    private Earlier() {}

    record Home(String street, String city) {}

    @BunnyMessage("PersonMoved")
    record OldPersonMoved(String first, String last, Home at) {}

    /** Its upcaster copies and does not remove, and moves an object. */
    @BunnyMessage(value = "PersonMoved", version = 2)
    record PersonMoved(String name, Home home) {

        @Upcast(from = 1)
        static ObjectNode upcast(ObjectNode body) {
            body.put(
                    "name",
                    body.get("first").asString("") + ' ' + body.get("last").asString(""));
            body.set("home", body.remove("at"));
            return body;
        }
    }

    static class People {
        @BunnyHandler(from = "shop")
        void on(PersonMoved moved) {
            throw new PoisonMessageException("closed");
        }
    }
}
