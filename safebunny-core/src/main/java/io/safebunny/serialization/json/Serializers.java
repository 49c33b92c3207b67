// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.BunnyMessage;
import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.InvalidPublicationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.message.Names;
import io.safebunny.serialization.MessageSerializer;
import io.safebunny.serialization.SerializationException;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The serializers of an application, in order. The format of a class decides who writes it; of a class without one, the first serializer that
 * may. The first that accepts the content type reads. Immutable.
 */
public final class Serializers {

    /** The content type that {@link #toJson} gives a body. */
    public static final String JSON_TYPE = "application/json";

    static final String JSON = "json";

    private static final String NO_FORMAT = "SB-1315";

    /** Formats that SafeBunny has in modules of their own. */
    private static final Set<String> MODULES = Set.of("cbor", "protobuf");

    private final List<MessageSerializer> all;
    private final MessageSerializer writer;
    private final boolean writesAll;
    private final Map<Class<?>, MessageSerializer> byClass = new ConcurrentHashMap<>();

    /** @throws ConfigurationException SB-1315 when none may write classes without a format */
    public Serializers(List<MessageSerializer> all) {
        this(all, false);
    }

    private Serializers(List<MessageSerializer> all, boolean writesAll) {
        if (all.isEmpty()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "There is no MessageSerializer: at least 1 is needed. Register one, for example JsonMessageSerializer.");
        }
        this.all = List.copyOf(all);
        this.writesAll = writesAll;
        this.writer = all.stream()
                .filter(serializer -> Set.of("", JSON).contains(serializer.format()))
                .findFirst()
                .orElseThrow(() -> new ConfigurationException(
                        NO_FORMAT,
                        "No MessageSerializer writes classes without a format: all have one %s.".formatted(formats()),
                        "Keep JsonMessageSerializer, or register a MessageSerializer whose format() is empty."));
    }

    /** One serializer, which writes classes of every format: for tests of sagas, whose messages stay in the process. */
    public static Serializers ofEveryFormat(MessageSerializer serializer) {
        return new Serializers(List.of(serializer), true);
    }

    /** Of classes without a format. */
    public MessageSerializer writer() {
        return writer;
    }

    /** @throws InvalidPublicationException if the format of the class is none of this node's */
    public MessageSerializer writerOf(Class<?> payload) {
        MessageSerializer known = byClass.get(payload);
        if (known != null) {
            return known;
        }
        MessageSerializer found = find(payload);
        if (found == null) {
            throw new InvalidPublicationException(missing(payload) + ' ' + remedy(format(payload)));
        }
        byClass.put(payload, found);
        return found;
    }

    /** The classes that this process has written so far. */
    public Set<Class<?>> written() {
        return Set.copyOf(byClass.keySet());
    }

    private @Nullable MessageSerializer find(Class<?> payload) {
        if (writesAll) {
            return writer;
        }
        String format = format(payload);
        if (format.isEmpty()) {
            return all.stream()
                    .filter(serializer -> serializer.isBoundTo(payload))
                    .findFirst()
                    .orElse(writer);
        }
        return all.stream()
                .filter(serializer -> serializer.format().equals(format))
                .findFirst()
                .orElse(null);
    }

    private static String format(Class<?> payload) {
        BunnyMessage message = payload.getDeclaredAnnotation(BunnyMessage.class);
        return message == null ? "" : message.format();
    }

    private String missing(Class<?> payload) {
        return "Unknown format [class=%s, format=%s, formats=%s]: no MessageSerializer of this node has it."
                .formatted(payload.getName(), Names.printable(format(payload)), formats());
    }

    private static String remedy(String format) {
        return MODULES.contains(format)
                ? "Add safebunny-%s.".formatted(format)
                : "Use one of these at @BunnyMessage(format), or register a MessageSerializer whose format() it is.";
    }

    private Set<String> formats() {
        Set<String> formats =
                all.stream().map(MessageSerializer::format).collect(Collectors.toCollection(TreeSet::new));
        formats.remove("");
        return formats;
    }

    /**
     * Called at start-up for the payload type of each handler.
     *
     * @param payload its class
     * @throws ConfigurationException SB-1315 if the format of the class is none of this node's; if a serializer cannot read values of this type
     *     safely; or if none can read them at all, or not the one of its format
     */
    public void prepare(Type target, Class<?> payload) {
        MessageSerializer own = find(payload);
        if (own == null) {
            throw new ConfigurationException(NO_FORMAT, missing(payload), remedy(format(payload)));
        }
        if (own == writer) {
            prepare(target);
        } else {
            own.prepare(target);
        }
    }

    /** @throws ConfigurationException if a serializer cannot read values of this type safely, or none can read them at all */
    void prepare(Type target) {
        ConfigurationException unreadable = null;
        boolean isReadable = false;
        for (MessageSerializer serializer : all) {
            try {
                serializer.prepare(target);
                isReadable = true;
            } catch (ConfigurationException e) {
                if (!e.code().equals(Readability.UNREADABLE)) {
                    throw e;
                }
                unreadable = e; // another serializer may read it
            }
        }
        if (unreadable != null && !isReadable) {
            throw unreadable;
        }
    }

    /** {@code null} when no serializer accepts this content type. */
    public @Nullable MessageSerializer readerOf(String contentType) {
        for (MessageSerializer serializer : all) {
            if (serializer.reads(contentType)) {
                return serializer;
            }
        }
        return null;
    }

    /**
     * A body as JSON.
     *
     * @param contentType as received
     * @return {@code null} if it is JSON, cannot be shown as JSON, or is not what its content type says
     */
    public byte @Nullable [] toJson(byte[] body, String contentType) {
        MessageSerializer reader = readerOf(contentType);
        try {
            return reader == null ? null : reader.toJson(body);
        } catch (SerializationException e) {
            return null;
        }
    }

    /** What may be missing to read a body of this content type, in a sentence. */
    public static String toRead(String contentType) {
        return MODULES.stream()
                .filter(format -> contentType.toLowerCase(Locale.ROOT).contains(format))
                .findFirst()
                .map(Serializers::remedy)
                .orElse("Register one, or correct the sender.");
    }
}
