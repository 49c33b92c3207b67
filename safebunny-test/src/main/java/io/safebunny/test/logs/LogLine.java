// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.logs;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/**
 * A captured log line. Immutable.
 *
 * @param logger name of its logger
 * @param message the message, with its arguments filled in
 * @param mdc the MDC of the thread that logged it, at that time
 * @param thread name of the thread that logged it
 * @param failure the exception that was logged with it; {@code null} for none
 */
public record LogLine(
        Level level,
        String logger,
        String message,
        Map<String, String> mdc,
        String thread,
        @Nullable Throwable failure) {

    public LogLine {
        Map<String, String> known = new LinkedHashMap<>(mdc);
        known.values().removeIf(Objects::isNull); // Logback allows null values
        mdc = Collections.unmodifiableMap(known);
    }
}
