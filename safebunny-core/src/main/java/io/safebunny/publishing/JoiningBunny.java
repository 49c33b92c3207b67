// SPDX-License-Identifier: Apache-2.0
package io.safebunny.publishing;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import io.safebunny.handling.OpenHandling;
import java.util.concurrent.CompletableFuture;

/** A {@link Bunny} that publishes as part of one handling, from any thread. Thread-safe. */
final class JoiningBunny implements Bunny {

    private final PipelineBunny bunny;
    private final OpenHandling handling;

    JoiningBunny(PipelineBunny bunny, OpenHandling handling) {
        this.bunny = bunny;
        this.handling = handling;
    }

    @Override
    public Published publish(Object payload, PublishOptions options) {
        return bunny.publish(payload, options, handling);
    }

    @Override
    public CompletableFuture<Published> publishAsync(Object payload, PublishOptions options) {
        return bunny.publishAsync(payload, options, handling);
    }

    @Override
    public Published publishNow(Object payload, PublishOptions options) {
        return bunny.publishNow(payload, options, handling);
    }
}
