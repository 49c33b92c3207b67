// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/**
 * Looks the engine's {@link Bunny} up on first use, so that middlewares, which the engine is made of, can inject it.
 */
final class DeferredBunny implements Bunny {

    private final SingletonSupplier<Bunny> bunny;

    DeferredBunny(Supplier<Bunny> bunny) {
        this.bunny = SingletonSupplier.of(bunny);
    }

    @Override
    public String publish(Object payload, PublishOptions options) {
        return bunny.obtain().publish(payload, options);
    }

    @Override
    public CompletableFuture<String> publishAsync(Object payload, PublishOptions options) {
        return bunny.obtain().publishAsync(payload, options);
    }

    @Override
    public String publishNow(Object payload, PublishOptions options) {
        return bunny.obtain().publishNow(payload, options);
    }
}
