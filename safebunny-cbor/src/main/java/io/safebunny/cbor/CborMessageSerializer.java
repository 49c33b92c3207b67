// SPDX-License-Identifier: Apache-2.0
package io.safebunny.cbor;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import io.safebunny.serialization.json.JacksonFormat;
import io.safebunny.serialization.json.JsonMessageSerializer;
import java.lang.reflect.Type;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORFactory;
import tools.jackson.dataformat.cbor.CBORReadFeature;
import tools.jackson.dataformat.cbor.CBORWriteFeature;

/**
 * CBOR (RFC 8949) by Jackson, with the modules and settings of the application's JSON and the promises of {@link JsonMessageSerializer}: what
 * JSON reads back equal, CBOR does, and what JSON refuses, CBOR does. Lengths are checked before anything is allocated for them. Thread-safe.
 */
public final class CborMessageSerializer implements MessageSerializer {

    private static final String CBOR = "application/cbor";
    private static final long MAX_MESSAGE_SIZE = 10L * 1024 * 1024;

    private final JacksonFormat cbor;
    private final JsonMessageSerializer json;
    private final CborBytes bytes;

    /** With Jackson's defaults, for messages of up to 10 MiB. */
    public CborMessageSerializer() {
        this(JsonMapper.shared(), MAX_MESSAGE_SIZE);
    }

    /**
     * @param mapper the application's for JSON, whose modules and settings are used
     * @param maxMessageSize largest body in bytes, as {@code safebunny.max-message-size}
     * @throws ConfigurationException SB-1310 when the mapper has default typing, or a factory whose limits cannot be set
     */
    public CborMessageSerializer(JsonMapper mapper, long maxMessageSize) {
        this.json = new JsonMessageSerializer(mapper, maxMessageSize);
        this.cbor = JacksonFormat.of(
                "CBOR",
                mapper,
                maxMessageSize,
                CBORFactory.builder()
                        .disable(CBORReadFeature.READ_UNDEFINED_AS_EMBEDDED_OBJECT)
                        .enable(CBORReadFeature.DECODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING)
                        .enable(CBORWriteFeature.ENCODE_USING_STANDARD_NEGATIVE_BIGINT_ENCODING)
                        .build());
        this.bytes = new CborBytes(cbor.limits());
    }

    @Override
    public String format() {
        return "cbor";
    }

    @Override
    public String contentType() {
        return CBOR;
    }

    @Override
    public boolean reads(String contentType) {
        int parameters = contentType.indexOf(';');
        String media = (parameters < 0 ? contentType : contentType.substring(0, parameters))
                .trim()
                .toLowerCase(Locale.ROOT);
        return media.equals(CBOR) || (media.startsWith("application/") && media.endsWith("+cbor"));
    }

    /** @throws ConfigurationException SB-1110 if a body would choose a class; SB-1112 if no body can be read as this type */
    @Override
    public void prepare(Type target) {
        json.prepare(target);
    }

    @Override
    public byte[] serialize(Object payload) {
        return cbor.write(payload);
    }

    @Override
    public Object deserialize(byte[] body, Type target) {
        requireSound(body, target.getTypeName());
        return cbor.read(body, target);
    }

    @Override
    public byte[] toJson(byte[] body) {
        requireSound(body, "JSON");
        return cbor.toJson(body);
    }

    private void requireSound(byte[] body, String target) {
        String fault = bytes.fault(body);
        if (fault != null) {
            throw new SerializationException("Cannot read CBOR as %s: %s".formatted(target, fault), null);
        }
    }
}
