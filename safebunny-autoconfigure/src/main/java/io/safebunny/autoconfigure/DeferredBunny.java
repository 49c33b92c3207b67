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
 * Looks up the engine's {@link Bunny} on first use, so that middlewares can inject it although the engine itself depends on them.
 * At the latest it does so when all beans exist, because a closing context no longer hands out the engine.
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
