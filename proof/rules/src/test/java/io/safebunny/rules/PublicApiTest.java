// SPDX-License-Identifier: Apache-2.0
package io.safebunny.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicApiTest {

    public sealed interface Outcome permits Handled, Postponed {}

    public record Handled(String id, @Nullable Duration after) implements Outcome {

        public Handled(String id) {
            this(id, null);
        }

        public boolean isLate() {
            return after != null;
        }
    }

    static final class Postponed implements Outcome {}

    @Deprecated
    public enum Order {
        SECOND,
        FIRST;

        public Order next() {
            return FIRST;
        }
    }

    abstract static class Hidden {

        public void inherited() {}

        protected void forHeirs() {}
    }

    public static final class Closed extends Hidden {

        public static final int LIMIT = 1;

        Closed() {}

        void internal() {}
    }

    public abstract static class Open<T extends Comparable<? super T>> extends Hidden {

        protected abstract <R> Map<String, ? extends R> over(List<@Nullable T> all, byte[]... rest) throws IOException;

        public final void fixed() {}
    }

    @FunctionalInterface
    public interface Step {

        void run();

        default Step then(Step next) {
            return next;
        }

        static Step none() {
            return () -> {};
        }
    }

    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Marked {

        String value() default "x";

        Class<?>[] types() default {};
    }

    @Test
    void saysWhatARecordIsMadeOfAndNotWhatFollowsFromIt() {
        assertThat(lines(Handled.class))
                .containsExactly(
                        "public record PublicApiTest.Handled(String id, @Nullable java.time.Duration after)"
                                + " implements PublicApiTest.Outcome",
                        "  new(String)",
                        "  boolean isLate()");
    }

    @Test
    void namesAllOutcomesOfASealedTypeAlsoThoseThatNobodySees() {
        assertThat(lines(Outcome.class))
                .containsExactly("public sealed interface PublicApiTest.Outcome permits PublicApiTest.Handled,"
                        + " PublicApiTest.Postponed");
        assertThat(PublicApi.of(Stream.of(Postponed.class))).isEmpty();
    }

    @Test
    void keepsTheOrderOfConstants() {
        assertThat(lines(Order.class))
                .containsExactly(
                        "@Deprecated public enum PublicApiTest.Order",
                        "  constant SECOND",
                        "  constant FIRST",
                        "  PublicApiTest.Order next()");
    }

    @Test
    void countsWhatIsInheritedFromAHiddenTypeAndLeavesOutWhatIsNotForOthers() {
        assertThat(lines(Closed.class))
                .containsExactly(
                        "public final class PublicApiTest.Closed extends PublicApiTest.Hidden",
                        "  static final int LIMIT",
                        "  void inherited()");
    }

    @Test
    void showsHeirsWhatIsForThem() {
        assertThat(lines(Open.class))
                .containsExactly(
                        "public abstract class PublicApiTest.Open<T extends Comparable<? super T>> extends"
                                + " PublicApiTest.Hidden",
                        "  new()",
                        "  final void fixed()",
                        "  protected void forHeirs()",
                        "  void inherited()",
                        "  protected abstract <R> java.util.Map<String, ? extends R> over(java.util.List<@Nullable"
                                + " T>, byte[]...) throws java.io.IOException");
    }

    @Test
    void tellsWhatMustBeImplemented() {
        assertThat(lines(Step.class))
                .containsExactly(
                        "@FunctionalInterface public interface PublicApiTest.Step",
                        "  static PublicApiTest.Step none()",
                        "  void run()",
                        "  default PublicApiTest.Step then(PublicApiTest.Step)");
    }

    @Test
    void tellsWhereAnAnnotationMayBeAndItsDefaults() {
        assertThat(lines(Marked.class))
                .containsExactly(
                        "@Retention(RUNTIME) @Target({METHOD, TYPE}) public @interface PublicApiTest.Marked",
                        "  Class<?>[] types() default {}",
                        "  String value() default \"x\"");
    }

    @Test
    void tellsForWhomAPackageIs() {
        assertThat(PublicApi.of(Stream.of(ApiContract.class)))
                .startsWith(
                        "# io.safebunny.rules: public only for other packages of SafeBunny\n\npublic abstract class ApiContract\n");
        assertThat(Audience.of("io.safebunny")).isEqualTo(Audience.USERS);
        assertThat(Audience.of("io.safebunny.store")).isEqualTo(Audience.PROVIDERS);
        assertThat(Audience.of("io.safebunny.test.broker")).isEqualTo(Audience.USERS);
    }

    @Test
    void refusesAChangeUntilItIsAccepted(@TempDir Path folder) throws IOException {
        Path accepted = folder.resolve("module.txt");
        assertThatThrownBy(() -> ApiContract.compare(accepted, "new\n", false)).hasMessageContaining("-Dapi.accept");

        ApiContract.compare(accepted, "new\n", true);

        ApiContract.compare(accepted, "new\n", false);
        assertThat(Files.readString(accepted)).isEqualTo("new\n");
        assertThatThrownBy(() -> ApiContract.compare(accepted, "newer\n", false))
                .hasMessageContaining("newer")
                .hasMessageContaining("module.txt");
    }

    private static List<String> lines(Class<?> type) {
        return new TypeDescription(type).lines();
    }
}
