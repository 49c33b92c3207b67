// SPDX-License-Identifier: Apache-2.0
package io.safebunny.validation;

import io.safebunny.failure.details.Causes;
import java.io.CharConversionException;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.ObjectStreamException;
import java.io.UTFDataFormatException;
import java.nio.charset.CharacterCodingException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.zip.ZipException;

/**
 * Recognizes failures to read a message that may be temporary, because a service such as a schema registry does not answer. These are the
 * JDK's own I/O exceptions, except those about the content that was read. Other subclasses do not count, because libraries also derive
 * their syntax errors from {@link IOException}. Pure.
 */
public final class TemporaryFailure {

    private static final List<Class<? extends IOException>> OF_CONTENT = List.of(
            CharConversionException.class,
            CharacterCodingException.class,
            EOFException.class,
            FileNotFoundException.class,
            ObjectStreamException.class,
            UTFDataFormatException.class,
            ZipException.class);

    private TemporaryFailure() {}

    /** Whether the failure, or one of its causes, may pass. */
    public static boolean isCauseOf(Throwable failure) {
        return Causes.of(failure).stream().anyMatch(TemporaryFailure::passes);
    }

    private static boolean passes(Throwable cause) {
        return cause instanceof TimeoutException
                || cause instanceof SQLTransientException
                || cause instanceof SQLRecoverableException
                || (cause instanceof IOException
                        && OF_CONTENT.stream().noneMatch(type -> type.isInstance(cause))
                        && !isKindOfItsOwn(cause.getClass()));
    }

    /** Whether a library derived the type directly from {@link IOException}, so that it may be temporary or about the content. */
    private static boolean isKindOfItsOwn(Class<?> type) {
        Class<?> known = type;
        while (!known.getName().startsWith("java")) {
            known = known.getSuperclass();
        }
        return known == IOException.class && known != type;
    }
}
