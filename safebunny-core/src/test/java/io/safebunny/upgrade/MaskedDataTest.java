// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.annotation.JsonValue;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.JsonProbe;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Nothing that a person wrote leaves the node: what looks like a name, a constant or a subclass, and is none, is masked as well. */
class MaskedDataTest {

    private final Omissions omissions = new Omissions();

    /** @param upgrade {@code null} if it is of the present version */
    private String masked(
            JsonMessageSerializer serializer, Class<?> type, String json, @Nullable UnaryOperator<JsonNode> upgrade) {
        UnaryOperator<JsonNode> upcast = upgrade == null ? UnaryOperator.identity() : upgrade;
        JsonNode stored = ExactTree.read(json.replace('\'', '"'));
        JsonNode masked = new MaskedJson(
                        "Type",
                        type,
                        JsonProbe.of(serializer),
                        upcast,
                        body -> serializer.deserialize(
                                ExactTree.write(upcast.apply(body.deepCopy())).getBytes(StandardCharsets.UTF_8), type))
                .of(stored, stored, upgrade == null, omissions);
        return masked == null ? "" : masked.toString().replace('"', '\'');
    }

    private String masked(Class<?> type, String json) {
        return masked(new JsonMessageSerializer(), type, json, null);
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind", defaultImpl = Other.class)
    @JsonSubTypes(@JsonSubTypes.Type(value = Parcel.class, name = "parcel"))
    interface Goods {}

    record Parcel(String label) implements Goods {}

    record Other(String label) implements Goods {}

    record Truck(List<Goods> goods, String kind, Map<String, String> by) {}

    @Test
    void ofTheNameOfASubclassOnlyWhereItIsOneAndRegistered() {
        assertThat(
                        masked(
                                Truck.class,
                                "{'goods':[{'kind':'parcel','label':'Ann'},{'label':'Ann','kind':'for Ann'}],'kind':'Ann Smith','by':{'kind':'Ann'}}"))
                .isEqualTo(
                        "{'goods':[{'kind':'parcel','label':'Xxx'},{'label':'Xxx','kind':'xxx Xxx'}],'kind':'Xxx Xxxxx','by':{'xxxx':'Xxx'}}");
    }

    interface Load {}

    record Crate(String label) implements Load {}

    record Box(
            @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "in", include = JsonTypeInfo.As.EXTERNAL_PROPERTY)
            @JsonSubTypes(@JsonSubTypes.Type(value = Crate.class, name = "crate"))
            Load what,

            String to) {}

    @Test
    void ofWhatJacksonReadsFromABufferWithoutPlaces() {
        assertThat(masked(Box.class, "{'in':'crate','what':{'label':'Ann'},'to':'Ann'}"))
                .isEmpty();
        assertThat(omissions.all())
                .containsExactly(
                        new UpgradeSample.LeftOut("Type", "cannot be read as before once its values are masked", 1));
    }

    enum Reason {
        @JsonAlias("WISH")
        WANTED,
        @JsonEnumDefaultValue
        UNKNOWN
    }

    record Leave(Reason reason) {}

    @Test
    void ofAnEnumThatTakesAnyTextForADefault() {
        JsonMessageSerializer tolerant = new JsonMessageSerializer(
                JsonMapper.builder()
                        .enable(EnumFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                        .build(),
                1 << 20);

        assertThat(masked(tolerant, Leave.class, "{'reason':'Ann is ill'}", null))
                .isEqualTo("{'reason':'Xxx xx xxx'}");
        assertThat(masked(tolerant, Leave.class, "{'reason':'WISH'}", null)).isEqualTo("{'reason':'WISH'}");
    }

    enum Level {
        LOW(10),
        HIGH(42);

        private final int code;

        Level(int code) {
            this.code = code;
        }

        @JsonValue
        int code() {
            return code;
        }

        @JsonCreator
        static Level of(int code) {
            return code == LOW.code ? LOW : HIGH;
        }
    }

    record Levels(Level level, int age) {}

    @Test
    void ofAnEnumThatTakesAnyNumber() {
        assertThat(masked(Levels.class, "{'level':42,'age':42}")).isEqualTo("{'level':42,'age':11}");
        assertThat(masked(Levels.class, "{'level':77,'age':0}")).isEqualTo("{'level':11,'age':1}");
    }

    record Notes(Map<String, String> all) {
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Notes {}
    }

    record Noted(Notes notes) {}

    @Test
    void ofKeysThatAClassIsMadeOf() {
        assertThat(masked(Noted.class, "{'notes':{'ann@example.org':'ill'}}"))
                .isEqualTo("{'notes':{'xxx@xxxxxxx.xxx':'xxx'}}");
    }

    static class Flat {
        @JsonProperty
        @Nullable
        String name;

        @JsonUnwrapped
        @Nullable
        Home home;
    }

    static class Home {
        @JsonProperty
        @Nullable
        String street;
    }

    record Open(@JsonIgnoreProperties(ignoreUnknown = true) Home home) {}

    @Test
    void ofKeysThatNothingReadsAndNobodyTells() {
        assertThat(masked(Flat.class, "{'name':'Ann','street':'Main','ann@example.org':'ill'}"))
                .isEqualTo("{'name':'Xxx','street':'Xxxx'}");
        assertThat(masked(Open.class, "{'home':{'street':'Main','ann@example.org':'ill'}}"))
                .isEqualTo("{'home':{'street':'Xxxx','xxx@xxxxxxx.xxx':'xxx'}}");
    }

    @Test
    void ofNamesInWhatIsLeftOut() {
        assertThat(masked(Leave.class, "{'reason':'WANTED','ann@example.org':'ill'}"))
                .isEqualTo("{'reason':'WANTED'}");
        assertThat(omissions.all()).extracting(UpgradeSample.LeftOut::what).containsExactly("Type.*");
    }

    record Text(String text) {}

    record Upgraded(@Nullable Text notes, @Nullable Home buyer, int left, Map<String, String> prices, Reason reason) {}

    /** What was a map is a record, or is moved; two names are new. */
    private static JsonNode upcast(JsonNode body) {
        ObjectNode upcast = (ObjectNode) body;
        Objects.requireNonNull(upcast.get("amount"));
        upcast.set("left", upcast.remove("amount"));
        JsonNode customer = upcast.remove("customer");
        if (customer != null) {
            upcast.set("buyer", customer);
        }
        return upcast;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'amount':7,'notes':{'ann@example.org':'ill'},'prices':{},'reason':'UNKNOWN'}",
                "{'amount':7,'notes':{'text':'ill','Ann':'ill'},'prices':{'Ann':'7'},'reason':'UNKNOWN'}",
                "{'amount':7,'Ann':{'Ann':'ill'},'prices':{'kind':'Ann'},'reason':'UNKNOWN'}",
                "{'amount':7,'customer':{'street':'Ann','Ann':'ill'},'prices':{},'reason':'UNKNOWN'}",
            })
    void ofKeysInABodyOfAnEarlierVersion(String json) {
        String masked = masked(new JsonMessageSerializer(), Upgraded.class, json, MaskedDataTest::upcast);

        assertThat(masked).contains("'amount':1", "'reason':'UNKNOWN'").doesNotContainIgnoringCase("ann", "ill'", "7");
        assertThat(masked).doesNotContain("kind");
    }

    @Test
    void ofNothingElseInABodyOfAnEarlierVersion() {
        assertThat(masked(
                        new JsonMessageSerializer(),
                        Upgraded.class,
                        "{'amount':7,'customer':{'street':'Main'},'prices':{'Ann':'7'},'reason':'WANTED'}",
                        MaskedDataTest::upcast))
                .isEqualTo("{'amount':1,'customer':{'street':'Xxxx'},'prices':{'Xxx':'1'},'reason':'WANTED'}");
    }
}
