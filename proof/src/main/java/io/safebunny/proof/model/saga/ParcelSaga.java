// SPDX-License-Identifier: Apache-2.0
package io.safebunny.proof.model.saga;

import io.safebunny.BunnyHandler;
import io.safebunny.saga.BlockedOn;
import io.safebunny.saga.BunnySaga;
import io.safebunny.saga.CorrelatedBy;
import io.safebunny.saga.OnPoisoned;
import io.safebunny.saga.SagaContext;
import io.safebunny.saga.SagaView;
import io.safebunny.saga.Starts;
import org.jspecify.annotations.Nullable;

/**
 * A saga whose id is in the payload, so that messages of several orders go to one parcel. It adds up grams, and sends one command, which its
 * participant sets aside for every other parcel: in the end it must have all grams, and must have heard of that, if it is so.
 */
@BunnySaga(name = ParcelSaga.NAME)
public final class ParcelSaga {

    public static final String NAME = "Parcel";

    public record Pack(String parcel, int grams) {}

    public record Label(String parcel) {

        /** Whether its participant sets it aside, always. */
        public boolean isUnprintable() {
            return parcel.hashCode() % 2 != 0;
        }
    }

    public record State(int grams, int heard) {}

    @Starts
    @BunnyHandler(from = "storefront")
    @CorrelatedBy("parcel")
    State on(Pack pack, @Nullable State state, SagaContext saga) {
        if (state == null) {
            saga.step("label", new Label(pack.parcel()));
            return new State(pack.grams(), 0);
        }
        return new State(state.grams() + pack.grams(), state.heard());
    }

    @OnPoisoned
    State unprinted(BlockedOn blocked, State state) {
        return new State(state.grams(), state.heard() + (blocked.type().equals("Label") ? 1 : 0));
    }

    /** @return what is wrong in the end; empty for nothing */
    public static String judge(@Nullable SagaView view, String parcel, int grams) {
        boolean hears = new Label(parcel).isUnprintable();
        boolean isWhole = view != null
                && view.state().startsWith("{\"grams\":%s,".formatted(grams))
                && view.state().endsWith("\"heard\":0}") != hears
                && view.blockedOn().isEmpty() != hears;
        return isWhole ? "" : "parcel is %s instead of %s grams, heard=%s".formatted(view, grams, hears);
    }
}
