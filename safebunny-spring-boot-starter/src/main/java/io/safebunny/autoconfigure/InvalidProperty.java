// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.failure.ConfigurationException;
import java.time.Duration;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.unit.DataSize;

/** Refuses property values, naming property, value and what is allowed. */
final class InvalidProperty {

    private static final long MEBIBYTE = DataSize.ofMegabytes(1).toBytes();

    private InvalidProperty() {}

    /**
     * @param fallback the property's default, for the advice
     * @throws ConfigurationException SB-1301 when the value is outside
     */
    static <T extends Comparable<T>> void unlessWithin(T min, T max, String property, T value, String fallback) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new ConfigurationException(
                    "SB-1301",
                    "Invalid property [%s=%s]: it must be %s to %s."
                            .formatted(property, show(value), show(min), show(max)),
                    "Set %s to a value in that range, or remove it to get the default, %s."
                            .formatted(property, fallback));
        }
    }

    private static String show(Object value) {
        if (value instanceof Duration duration) {
            return duration.isZero() ? "0s" : DurationFormatterUtils.print(duration, DurationFormat.Style.COMPOSITE);
        }
        if (value instanceof DataSize size) {
            return size.toBytes() >= MEBIBYTE && size.toBytes() % MEBIBYTE == 0
                    ? size.toMegabytes() + "MB"
                    : size.toString();
        }
        return String.valueOf(value);
    }
}
