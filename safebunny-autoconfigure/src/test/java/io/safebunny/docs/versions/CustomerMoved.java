// SPDX-License-Identifier: Apache-2.0
package io.safebunny.docs.versions;

import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import tools.jackson.databind.node.ObjectNode;

@BunnyMessage(version = 2)
record CustomerMoved(String customer, Address address) {

    record Address(String street, String city) {}

    @Upcast(from = 1)
    static ObjectNode nested(ObjectNode body) {
        ObjectNode address = body.objectNode();
        address.set("street", body.remove("street"));
        address.set("city", body.remove("city"));
        body.set("address", address);
        return body;
    }
}
