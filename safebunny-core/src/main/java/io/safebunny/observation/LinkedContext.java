// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import org.jspecify.annotations.Nullable;

/** What happens to a message that was made before, within a span that it names. */
public sealed interface LinkedContext permits HandlingContext, SendingContext {

    /** Whether this is too late for the trace in which the message was made, which it would keep open: it is linked to that instead. */
    boolean isLater();

    /** {@code traceparent} of the span in which the message was made, whose syntax was checked. */
    @Nullable
    String madeIn();
}
