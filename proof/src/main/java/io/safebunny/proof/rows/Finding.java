// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.rows;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What came of a row. Immutable.
 *
 * @param figures what was measured, by name
 */
public record Finding(boolean passed, Map<String, Object> figures) {

    public Finding {
        figures = Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    }

    /** A row that could not be measured has failed. */
    public static Finding broken(Throwable why) {
        return new Finding(false, Map.of("error", why.toString()));
    }

    public Finding with(String name, Object figure) {
        Map<String, Object> more = new LinkedHashMap<>(figures);
        more.put(name, figure);
        return new Finding(passed, more);
    }
}
