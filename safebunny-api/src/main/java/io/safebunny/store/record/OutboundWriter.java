// SPDX-License-Identifier: Apache-2.0
package io.safebunny.store.record;

import io.safebunny.message.WireMessage;
import io.safebunny.transport.OutboundMessage;
import io.safebunny.transport.Route;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Date;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes an outgoing message as a JSON object: the body as text if it is UTF-8, headers with their types. */
@SuppressWarnings("JavaUtilDate") // the type of timestamps in AMQP headers
final class OutboundWriter {

    private OutboundWriter() {}

    static void write(JsonGenerator json, OutboundMessage outbound) {
        WireMessage message = outbound.message();
        json.writeStartObject();
        Route route = outbound.route();
        if (route instanceof Route.ToSubscribers publication) {
            json.writeStringProperty("routingKey", publication.routingKey());
        } else if (route instanceof Route.ToQueue direct) {
            json.writeStringProperty("queue", direct.queue());
        } else if (route instanceof Route.Poison poison) {
            json.writeStringProperty("poisonOf", poison.node());
        }
        if (!outbound.delay().isZero()) {
            json.writeStringProperty("delay", outbound.delay().toString());
        }
        if (outbound.deliverAt() != null) {
            json.writeNumberProperty("deliverAt", outbound.deliverAt().toEpochMilli());
        }
        if (outbound.droppedIfUnheard()) {
            json.writeBooleanProperty("droppedIfUnheard", true);
        }
        writeUnlessNull(json, "id", message.messageId());
        writeUnlessNull(json, "correlationId", message.correlationId());
        writeUnlessNull(json, "type", message.type());
        writeUnlessNull(json, "appId", message.appId());
        if (message.timestamp() != null) {
            json.writeNumberProperty("timestamp", message.timestamp());
        }
        writeUnlessNull(json, "contentType", message.contentType());
        writeUnlessNull(json, "contentEncoding", message.contentEncoding());
        if (message.priority() != null) {
            json.writeNumberProperty("priority", message.priority());
        }
        json.writeObjectPropertyStart("headers");
        message.headers().forEach((name, value) -> writeHeader(json, name, value));
        json.writeEndObject();
        String text = asText(message.body());
        if (text != null) {
            json.writeStringProperty("text", text);
        } else {
            json.writeStringProperty("base64", Base64.getEncoder().encodeToString(message.body()));
        }
        json.writeEndObject();
    }

    private static void writeUnlessNull(JsonGenerator json, String name, @Nullable String value) {
        if (value != null) {
            json.writeStringProperty(name, value);
        }
    }

    /** Writes strings, booleans and {@code Integer}s as they are, others with their type, such as {@code {"long":1}}. */
    private static void writeHeader(JsonGenerator json, String name, Object value) {
        if (value instanceof String text) {
            json.writeStringProperty(name, text);
        } else if (value instanceof Boolean bool) {
            json.writeBooleanProperty(name, bool);
        } else if (value instanceof Integer number) {
            json.writeNumberProperty(name, number);
        } else {
            json.writeObjectPropertyStart(name);
            if (value instanceof Date date) {
                json.writeNumberProperty("date", date.getTime());
            } else {
                json.writeStringProperty(value.getClass().getSimpleName().toLowerCase(Locale.ROOT), value.toString());
            }
            json.writeEndObject();
        }
    }

    /** The body as text; {@code null} if it is not valid UTF-8. */
    private static @Nullable String asText(byte[] body) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
