// SPDX-License-Identifier: Apache-2.0
package io.safebunny.story.telling;

import static org.assertj.core.api.Assertions.assertThat;

import io.safebunny.PoisonMessageException;
import io.safebunny.poison.PoisonFilter;
import io.safebunny.poison.PoisonMessages;
import io.safebunny.poison.PoisonOperation;
import io.safebunny.poison.PoisonRequest;
import io.safebunny.story.Story;
import java.util.function.BiFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A story does not ask for a discard that somebody has made, as long as the instance runs through which that was. */
class DiscardedByHandTest {

    private static final String ID = CauseDesk.ID;

    private final CauseDesk desk = new CauseDesk();

    @BeforeEach
    void isSetAside() {
        desk.throwing("Capture", new PoisonMessageException("no such card"));
        desk.place();
    }

    private void itsSagaFails() {
        desk.sagas().skip("Buying", ID, "pay", "paid in cash");
        desk.pass(1);
        desk.sagas().fail("Buying", ID, "given up");
        desk.pass(10);
    }

    private void does(BiFunction<PoisonMessages, PoisonRequest, PoisonOperation> what, String reason) {
        desk.world.worksWhileAsking = true;
        PoisonOperation operation = what.apply(
                desk.world.engine("billing").get(PoisonMessages.class),
                PoisonRequest.of(PoisonFilter.all(), "anna", reason));
        desk.pass(1);
        assertThat(operation.progress().moved()).isEqualTo(1);
    }

    private Story told() {
        return desk.together("billing", "orders");
    }

    private static String words(Story story) {
        return String.join(" ", story.sentences());
    }

    private boolean isDiscardOffered() {
        return told().next().stream().anyMatch(command -> command.curl().contains("\"discard\""));
    }

    @Test
    void isToldWithTimeNameAndReason() {
        itsSagaFails();
        assertThat(words(told())).doesNotContain("was discarded");

        does(PoisonMessages::discard, "nobody needs it");

        assertThat(words(told()))
                .contains(
                        "The copy of `Capture` (%s) was discarded at 00:00:12Z by anna (\"nobody needs it\"): it is in the archive, and can be restored from there."
                                .formatted(desk.command()))
                .doesNotContain("if nobody has");
        assertThat(isDiscardOffered()).isFalse();
        assertThat(told().timeline())
                .extracting(Story.Event::what)
                .contains("the copy of message %s was discarded by anna".formatted(desk.command()));
    }

    /** Neither who nor why leaves the node. */
    @Test
    void isToldAtAnotherNodeWithItsTime() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");

        assertThat(words(desk.together("orders", "billing")))
                .contains("was discarded at 00:00:12Z (ask billing who and why): it is in the archive")
                .doesNotContain("anna", "nobody needs it");
    }

    @Test
    void isTakenBackByARestore() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");
        does(PoisonMessages::restore, "somebody does");

        assertThat(words(told())).doesNotContain("was discarded");
        assertThat(told().timeline())
                .extracting(Story.Event::what)
                .contains("the copy of message %s was restored by anna".formatted(desk.command()));
    }

    /** There is a newer copy. */
    @Test
    void isNotToldOnceItWasSetAsideAgain() {
        desk.pass(10);
        does(PoisonMessages::discard, "nobody needs it");
        assertThat(words(told())).contains("was discarded at 00:00:11Z");
        desk.sagas().retry("Buying", ID, "somebody does");
        desk.pass(1);

        assertThat(words(told())).doesNotContain("was discarded");
        assertThat(desk.world.poison("billing")).hasSize(1);
    }

    /** Another instance has another memory. */
    @Test
    void isForgottenWithTheInstance() {
        itsSagaFails();
        does(PoisonMessages::discard, "nobody needs it");
        desk.world.stop("billing");
        desk.start("billing");

        assertThat(words(told())).doesNotContain("was discarded");
    }
}
