// SPDX-License-Identifier: Apache-2.0
package io.safebunny.protobuf;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.Internal;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.message.ContentTypes;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import java.io.IOException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * Protocol Buffers, of the classes that protoc generates, which need not name their format. Equal messages become equal bytes here, though not
 * with other libraries; SafeBunny's ids and its comparison of duplicates do not depend on that. Refuses nesting of more than 100 messages, when
 * writing, too, and text that is no UTF-8. Thread-safe.
 */
public final class ProtobufMessageSerializer implements MessageSerializer {

    /** As protobuf's own limit when it reads. */
    private static final int DEEPEST = 100;

    private static final ClassValue<Message> DEFAULTS = new ClassValue<>() {
        @Override
        protected Message computeValue(Class<?> type) {
            return Internal.getDefaultInstance(type.asSubclass(Message.class));
        }
    };

    @Override
    public String format() {
        return "protobuf";
    }

    @Override
    public boolean isBoundTo(Class<?> payload) {
        return Message.class.isAssignableFrom(payload);
    }

    @Override
    public String contentType() {
        return ContentTypes.PROTOBUF;
    }

    @Override
    public boolean reads(String contentType) {
        return ContentTypes.isProtobuf(contentType);
    }

    /**
     * @throws ConfigurationException SB-1112 if it is no class that protoc has generated; SB-1123 if it has a version, because nothing can
     *     bring protobuf up to one
     */
    @Override
    public void prepare(Type target) {
        if (defaultOf(target) == null) {
            throw new ConfigurationException(
                    "SB-1112",
                    "No protobuf can be read as %s: it is no class that protoc has generated."
                            .formatted(target.getTypeName()),
                    "Generate the class from a .proto file, or remove format = \"protobuf\" from it.");
        }
        BunnyMessage message = ((Class<?>) target).getDeclaredAnnotation(BunnyMessage.class);
        if (message != null && message.version() > 1) {
            throw new ConfigurationException(
                    "SB-1123",
                    "A class of protobuf has a version [class=%s, version=%s]: upcasters work on JSON, and protobuf has no names."
                            .formatted(target.getTypeName(), message.version()),
                    "Remove the version, and change the .proto file by the rules of protobuf: add fields, never use a number again.");
        }
    }

    private static @Nullable Message defaultOf(Type target) {
        try {
            return target instanceof Class<?> type && Message.class.isAssignableFrom(type) ? DEFAULTS.get(type) : null;
        } catch (RuntimeException e) { // not generated
            return null;
        }
    }

    @Override
    public byte[] serialize(Object payload) {
        if (!(payload instanceof Message message)) {
            throw unwritten(payload, "it is no class that protoc has generated");
        }
        if (!message.isInitialized()) {
            throw unwritten(payload, "missing " + message.getInitializationErrorString());
        }
        byte[] body = new byte[message.getSerializedSize()];
        CodedOutputStream out = CodedOutputStream.newInstance(body);
        out.useDeterministicSerialization(); // maps by their keys
        try {
            message.writeTo(out);
            out.checkNoSpaceLeft();
        } catch (IOException e) {
            throw new SerializationException(
                    "Cannot write %s as protobuf: %s"
                            .formatted(
                                    payload.getClass().getName(), e.getClass().getSimpleName()),
                    e);
        }
        if (Surrogates.mayBeLost(body) && Surrogates.isUnpairedIn(message)) {
            throw unwritten(
                    payload,
                    "unpaired surrogate (half of a character). Make sure that text is only cut between characters");
        }
        if (body.length > 2 * DEEPEST && Nesting.isDeeper(message, DEEPEST)) { // a level takes two bytes or more
            throw unwritten(
                    payload, "more than %s messages within each other, which nobody could read".formatted(DEEPEST));
        }
        return body;
    }

    private static SerializationException unwritten(Object payload, String why) {
        return new SerializationException(
                "Cannot write %s as protobuf: %s".formatted(payload.getClass().getName(), why), null);
    }

    @Override
    public Object deserialize(byte[] body, Type target) {
        Message empty = defaultOf(target);
        if (empty == null) {
            throw unread(target, "it is no class that protoc has generated");
        }
        Message message;
        try {
            message = empty.getParserForType().parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            throw unread(target, String.valueOf(e.getMessage()));
        }
        return message;
    }

    private static SerializationException unread(Type target, String why) {
        return new SerializationException("Cannot read protobuf as %s: %s".formatted(target.getTypeName(), why), null);
    }
}
