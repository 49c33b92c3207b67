// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.contract.bites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.safebunny.test.contract.bites.Sabotage.Calls;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Faults that prove nothing are found themselves. */
class ContractBitesTest {

    interface Greeter {
        String greet(String name);

        void leave();
    }

    private static final class SoundGreeter implements Greeter {
        @Override
        public String greet(String name) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("nobody");
            }
            return "Hello " + name;
        }

        @Override
        public void leave() {}
    }

    /** Run by {@link ContractBites}. */
    public static class GreeterContract {

        private final Greeter greeter = Fault.<GreeterContract, Greeter>current()
                .in(this, Greeter.class)
                .apply(new SoundGreeter());

        @Test
        public void namesWhoIsGreeted() {
            assertThat(greeter.greet("Ann")).contains("Ann");
        }

        @Test
        public void isPolite() {
            assertThat(greeter.greet("Ann")).contains("Hello");
        }
    }

    private static final class GreeterFaults extends Faults<GreeterContract, Greeter> {
        GreeterFaults(String rule, Consumer<Sabotage<Greeter>> plan) {
            fault("the fault", rule, plan);
        }
    }

    private static ThrowingCallable check(String rule, Consumer<Sabotage<Greeter>> plan) {
        ContractBites bites =
                new ContractBites(GreeterContract.class, GreeterContract.class, new GreeterFaults(rule, plan)) {};
        return () -> {
            bites.runTheContractWithEachFault();
            for (var test :
                    bites.eachFaultIsFoundByTheRuleItBreaksAndByNoOther().toList()) {
                test.getExecutable().execute();
            }
        };
    }

    @Test
    void takesAFaultThatBreaksItsRuleOnly() {
        assertThatCode(check("isPolite", greeter -> greeter.on(Greeter::greet).instead((real, name) -> name)))
                .doesNotThrowAnyException();
    }

    @Test
    void findsAFaultThatBreaksNothing() {
        assertThatThrownBy(
                        check("isPolite", greeter -> greeter.on(Greeter::greet).instead(Greeter::greet)))
                .hasMessageContaining("isPolite");
    }

    @Test
    void findsAFaultThatBreaksAnotherRuleToo() {
        assertThatThrownBy(
                        check("isPolite", greeter -> greeter.on(Greeter::greet).instead((real, name) -> "")))
                .hasMessageContaining("namesWhoIsGreeted");
    }

    /** It is red for another reason than what is written in the table. */
    @Test
    void findsAFaultOfAnOperationThatNobodyCalls() {
        assertThatThrownBy(check("isPolite", greeter -> {
                    greeter.on(Greeter::greet).instead((real, name) -> name);
                    greeter.on(Greeter::leave).instead(real -> {});
                }))
                .hasMessageContaining("never called")
                .hasMessageContaining("Greeter.leave");
    }

    @Test
    void namesARuleThatNoFaultBreaks() {
        ContractBites bites = new ContractBites(
                GreeterContract.class, GreeterContract.class, new GreeterFaults("isPolite", greeter -> {})) {};

        assertThatThrownBy(bites::everyRuleIsBroken).hasMessageContaining("namesWhoIsGreeted");
    }

    @Test
    void leavesTheOtherOperationsAndTheirFailuresAsTheyAre() {
        Greeter greeter = sabotaged(sabotage -> sabotage.on(Greeter::leave).instead(real -> {
            throw new IllegalStateException("stays");
        }));

        assertThat(greeter.greet("Ann")).isEqualTo("Hello Ann");
        assertThatThrownBy(() -> greeter.greet("")).isExactlyInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(greeter::leave).hasMessage("stays");
        assertThat(List.of(greeter)).contains(greeter);
    }

    @Test
    void refusesAnOperationThatIsNoMethodReference() {
        assertThatThrownBy(() -> sabotaged(
                        sabotage -> sabotage.on((Greeter real) -> real.leave()).instead(real -> {})))
                .hasMessageContaining("an operation of Greeter by a method reference");
    }

    @Test
    void refusesToReplaceAnOperationTwice() {
        assertThatThrownBy(() -> sabotaged(sabotage -> {
                    sabotage.on(Greeter::greet).instead((real, name) -> "one");
                    sabotage.on(Greeter::greet).instead((real, name) -> "two");
                }))
                .hasMessageContaining("replaced twice");
    }

    private static Greeter sabotaged(Consumer<Sabotage<Greeter>> plan) {
        return Sabotage.sabotaged(Greeter.class, new SoundGreeter(), new Calls(), plan);
    }
}
