// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import io.safebunny.story.Story.Command;
import java.util.LinkedHashMap;
import java.util.Map;

/** The request that ends the pause of a type. Pure. */
final class Resuming {

    private Resuming() {}

    static Command of(String node, String type) {
        Map<String, String> body = new LinkedHashMap<>();
        body.put("state", "closed");
        body.put("reason", "mended");
        return Curl.post(
                "handle `%s` again".formatted(Words.text(type)),
                node,
                "safebunny/breakers/" + Curl.encoded(type),
                body);
    }
}
