// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure.actuate.story;

import org.springframework.boot.actuate.endpoint.Producible;
import org.springframework.util.MimeType;

/** What a request for a story accepts. If it accepts several of these, the last one counts, and JSON if it does not say. */
enum StoryType implements Producible<StoryType> {
    /** Its sentences, and what helps. */
    TEXT("text", "plain"),
    /** JSON, by the name that all endpoints have for it. */
    ACTUATOR("application", "vnd.spring-boot.actuator.v3+json"),
    /** All of it. */
    JSON("application", "json");

    private final String type;
    private final String subtype;

    StoryType(String type, String subtype) {
        this.type = type;
        this.subtype = subtype;
    }

    @Override
    public MimeType getProducedMimeType() {
        return new MimeType(type, subtype);
    }

    @Override
    public boolean isDefault() {
        return this == JSON;
    }
}
