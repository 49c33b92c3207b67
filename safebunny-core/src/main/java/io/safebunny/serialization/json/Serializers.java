// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import io.safebunny.failure.ConfigurationException;
import io.safebunny.failure.MisuseException;
import io.safebunny.serialization.MessageSerializer;
import java.lang.reflect.Type;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The serializers of an application, in order: the first one writes, and the first that accepts the content type reads.
 * Immutable.
 */
public final class Serializers {

    private final List<MessageSerializer> all;

    public Serializers(List<MessageSerializer> all) {
        if (all.isEmpty()) {
            throw new MisuseException(
                    MisuseException.ARGUMENT,
                    "There is no MessageSerializer: at least 1 is needed. Register one, for example JsonMessageSerializer.");
        }
        this.all = List.copyOf(all);
    }

    public MessageSerializer writer() {
        return all.get(0);
    }

    /** @throws ConfigurationException if a serializer cannot read values of this type safely, or none can read them at all */
    public void prepare(Type target) {
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
}
