// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model;

import io.safebunny.proof.model.saga.ShopSaga;
import io.safebunny.saga.SagaStatus;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Sagas;
import java.util.Objects;
import java.util.Random;

/** People who repair sagas, without being asked to and at the end. Confined to one thread. */
final class Repairs {

    private final World world;
    private final Chaos chaos;
    private final Random random;

    Repairs(World world, Chaos chaos, Random random) {
        this.world = world;
        this.chaos = chaos;
        this.random = random;
    }

    /** Does something to a saga, whatever its status. */
    void repair(String id) {
        SagaView view = world.saga(ShopSaga.NODE, ShopSaga.NAME, id);
        if (view == null) {
            return;
        }
        chaos.count("repairs");
        chaos.calmly(() -> repair(id, view)); // the call itself; what it sends is not
    }

    private void repair(String id, SagaView view) {
        Sagas all = world.instance(ShopSaga.NODE).engine().get(Sagas.class);
        switch (random.nextInt(8)) {
            case 0 -> all.fail(ShopSaga.NAME, id, "as somebody wants");
            case 1, 2 -> all.retry(ShopSaga.NAME, id, "as somebody wants");
            case 3, 4 -> all.resume(ShopSaga.NAME, id, "as somebody wants");
            case 5 -> all.skip(ShopSaga.NAME, id, random.nextBoolean() ? "pay" : "stock", "as somebody wants");
            default -> {
                String state = "{\"order\":\"%s\",\"cents\":%s}".formatted(id.substring(6), random.nextInt(1_000));
                all.patch(ShopSaga.NAME, id, view.version(), state, "as somebody wants");
            }
        }
    }

    /**
     * Gets a saga going again that does not go on by itself.
     *
     * @return whether it has not ended yet
     */
    boolean mend(String id) {
        SagaView view = Objects.requireNonNull(world.saga(ShopSaga.NODE, ShopSaga.NAME, id), id + " never began");
        Sagas all = world.instance(ShopSaga.NODE).engine().get(Sagas.class);
        if (view.status() == SagaStatus.STUCK && random.nextBoolean()) {
            all.fail(ShopSaga.NAME, id, "given up");
        } else if (view.status() == SagaStatus.STUCK || view.status() == SagaStatus.COMPENSATION_FAILED) {
            all.resume(ShopSaga.NAME, id, "mended");
        } else if (!view.blockedOn().isEmpty() && random.nextBoolean()) {
            all.retry(ShopSaga.NAME, id, "mended");
        }
        return !view.status().isEnded();
    }
}
