// SPDX-License-Identifier: Apache-2.0
package io.safebunny.observation;

import org.jspecify.annotations.Nullable;

/** Observation context for a message that was created earlier, in a span that it names. */
public sealed interface LinkedContext permits HandlingContext, SendingContext {

    /** Whether to start a new trace linked to the one in which the message was created, instead of keeping that trace open. */
    boolean isLater();

    /** The {@code traceparent} of the span in which the message was created; syntactically valid. */
    @Nullable
    String madeIn();
}
