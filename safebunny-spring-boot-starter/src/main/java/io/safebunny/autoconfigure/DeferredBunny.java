// SPDX-License-Identifier: Apache-2.0
package io.safebunny.autoconfigure;

import io.safebunny.Bunny;
import io.safebunny.PublishOptions;
import io.safebunny.Published;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.function.SingletonSupplier;

/**
 * Looks the engine's {@link Bunny} up on first use, so that middlewares, which the engine is made of, can inject it; at the
 * latest when all beans exist, because a closed context has no engine to look up.
 */
final class DeferredBunny implements Bunny, SmartInitializingSingleton {

    private final SingletonSupplier<Bunny> bunny;

    DeferredBunny(Supplier<Bunny> bunny) {
        this.bunny = SingletonSupplier.of(bunny);
    }

    @Override
    public void afterSingletonsInstantiated() {
        bunny.obtain();
    }

    @Override
    public Published publish(Object payload, PublishOptions options) {
        return bunny.obtain().publish(payload, options);
    }

    @Override
    public CompletableFuture<Published> publishAsync(Object payload, PublishOptions options) {
        return bunny.obtain().publishAsync(payload, options);
    }

    @Override
    public Published publishNow(Object payload, PublishOptions options) {
        return bunny.obtain().publishNow(payload, options);
    }
}
