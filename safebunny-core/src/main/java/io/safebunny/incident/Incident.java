// SPDX-License-Identifier: Apache-2.0
package io.safebunny.incident;

import java.util.List;

/**
 * The test of an incident.
 *
 * @param className its simple name
 * @param source Java source, ASCII, ready to be pasted
 * @param looks what its source shows, for the audit
 */
public record Incident(String className, String source, List<Look> looks) {

    public Incident {
        looks = List.copyOf(looks);
    }

    /** Content that is shown. */
    public sealed interface Look {}

    /** The state of a saga. */
    public record StateLook(String saga, String id) implements Look {}

    /**
     * @param copy its digest in the poison queue; empty if it is from a saga's step
     * @param isDecrypted whether it is encrypted where it comes from, and not in the source
     */
    public record BodyLook(String messageId, String copy, boolean isDecrypted) implements Look {}
}
