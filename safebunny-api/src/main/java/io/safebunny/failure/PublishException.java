// SPDX-License-Identifier: Apache-2.0
package io.safebunny.failure;

import org.jspecify.annotations.Nullable;

/** A publication was not confirmed. The subtype says what is known about the message. */
public abstract class PublishException extends SafeBunnyException {

    private final String type;
    private final String routingKey;
    private final String messageId;

    protected PublishException(String code, Publication publication, String why, @Nullable Throwable cause) {
        super(
                code,
                "Publishing failed [type=%s, routingKey=%s, id=%s]: %s"
                        .formatted(publication.type(), publication.routingKey(), publication.messageId(), why),
                cause);
        this.type = publication.type();
        this.routingKey = publication.routingKey();
        this.messageId = publication.messageId();
    }

    public final String type() {
        return type;
    }

    public final String routingKey() {
        return routingKey;
    }

    public final String messageId() {
        return messageId;
    }

    /** The publication that an exception is about, without its payload. */
    public record Publication(String type, String routingKey, String messageId) {}
}
