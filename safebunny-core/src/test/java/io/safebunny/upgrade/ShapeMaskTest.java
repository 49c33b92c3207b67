// SPDX-License-Identifier: Apache-2.0
package io.safebunny.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.safebunny.serialization.json.ExactTree;
import io.safebunny.serialization.json.JsonMessageSerializer;
import io.safebunny.serialization.json.JsonProbe;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Values are masked and keep their shape, and what a class reads by its name stays. */
class ShapeMaskTest {

    private final Omissions omissions = new Omissions();

    private @Nullable JsonNode masked(JsonMessageSerializer serializer, Class<?> type, String json) {
        return masked(serializer, type, json, json);
    }

    private @Nullable JsonNode masked(JsonMessageSerializer serializer, Class<?> type, String json, String shown) {
        return new MaskedJson(
                        "Type",
                        type,
                        JsonProbe.of(serializer),
                        UnaryOperator.identity(),
                        body -> serializer.deserialize(ExactTree.write(body).getBytes(StandardCharsets.UTF_8), type))
                .of(ExactTree.read(json), ExactTree.read(shown), true, omissions);
    }

    private @Nullable JsonNode masked(Class<?> type, String json) {
        return masked(new JsonMessageSerializer(), type, json);
    }

    private static JsonNode tree(String json) {
        return ExactTree.read(json.replace('\'', '"'));
    }

    record Numbers(byte small, int left, long cents, double rate, BigInteger huge) {}

    @Test
    void keepsDigitsAndTheTypeThatANumberNeeds() {
        assertThat(masked(
                        Numbers.class,
                        "{\"small\":-7,\"left\":0,\"cents\":3000000000,\"rate\":20.5,\"huge\":98765432109876543210}"))
                .isEqualTo(tree("{'small':-1,'left':1,'cents':9999999999,'rate':11.1,'huge':11111111111111111111}"));
    }

    enum Colour {
        RED,
        GREEN
    }

    record Things(Colour colour, Map<String, Colour> byName, EnumMap<Colour, Integer> counts, List<Colour> all) {}

    @Test
    void keepsConstantsAndMasksKeysThatAreData() {
        assertThat(
                        masked(
                                Things.class,
                                "{\"colour\":\"RED\",\"byName\":{\"Ann\":\"GREEN\"},\"counts\":{\"RED\":12},\"all\":[\"GREEN\"]}"))
                .isEqualTo(tree("{'colour':'RED','byName':{'Xxx':'GREEN'},'counts':{'RED':11},'all':['GREEN']}"));
    }

    /** Not a record, so that Jackson fills it. */
    static class Open {
        @JsonProperty
        @Nullable
        String known;

        final Map<String, Object> others = new HashMap<>();

        @JsonAnySetter
        void add(String name, Object value) {
            others.put(name, value);
        }
    }

    @Test
    void masksNamesThatAClassTakesAsData() {
        assertThat(masked(Open.class, "{\"known\":\"Ann\",\"Bob\":{\"Carl\":\"Dan\"}}"))
                .isEqualTo(tree("{'known':'Xxx','Xxx':{'Xxxx':'Xxx'}}"));
    }

    record Untyped(Object any, JsonNode tree) {}

    @Test
    void masksAllOfWhatHasNoClass() {
        assertThat(masked(Untyped.class, "{\"any\":{\"Ann\":[true,null]},\"tree\":{\"Bob\":7}}"))
                .isEqualTo(tree("{'any':{'Xxx':[false,null]},'tree':{'Xxx':1}}"));
    }

    record Inner(String street) {}

    record Outer(String name, List<Inner> inner) {}

    @Test
    void leavesOutWhatNothingReadsAndNamesIt() {
        assertThat(masked(
                        Outer.class,
                        "{\"name\":\"Ann\",\"more\":1,\"inner\":[{\"street\":\"Main\",\"less\":{\"Bob\":1}}]}"))
                .isEqualTo(tree("{'name':'Xxx','inner':[{'street':'Xxxx'}]}"));
        assertThat(omissions.all())
                .extracting(UpgradeSample.LeftOut::what)
                .containsExactlyInAnyOrder("Type.*", "Type.inner.*");
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes(@JsonSubTypes.Type(value = Parcel.class, name = "parcel"))
    interface Goods {}

    record Parcel(Inner to, Colour colour, List<Inner> stops) implements Goods {}

    record Truck(List<Goods> goods) {}

    @Test
    void knowsPlacesBeforeTheNameOfASubclass() {
        assertThat(
                        masked(
                                Truck.class,
                                "{\"goods\":[{\"to\":{\"street\":\"Main\",\"less\":1},\"colour\":\"RED\",\"stops\":[{\"street\":\"Side\"}],\"kind\":\"parcel\"}]}"))
                .isEqualTo(
                        tree(
                                "{'goods':[{'to':{'street':'Xxxx'},'colour':'RED','stops':[{'street':'Xxxx'}],'kind':'parcel'}]}"));
        assertThat(omissions.all()).extracting(UpgradeSample.LeftOut::what).containsExactly("Type.goods.to.*");
    }

    @JsonIgnoreProperties(value = "gone", ignoreUnknown = true)
    record Tolerant(String name) {}

    @Test
    void namesWhatAClassToleratesButNotWhatItIgnoresByName() {
        assertThat(masked(Tolerant.class, "{\"name\":\"Ann\",\"gone\":1,\"more\":2}"))
                .isEqualTo(tree("{'name':'Xxx','gone':1}"));
        assertThat(omissions.all()).extracting(UpgradeSample.LeftOut::what).containsExactly("Type.*");
    }

    record ByKey(Map<String, Inner> byKey) {}

    @Test
    void namesNoKeyThatIsData() {
        assertThat(masked(ByKey.class, "{\"byKey\":{\"Ann\":{\"street\":\"Main\",\"less\":1}}}"))
                .isEqualTo(tree("{'byKey':{'Xxx':{'street':'Xxxx'}}}"));
        assertThat(omissions.all()).extracting(UpgradeSample.LeftOut::what).containsExactly("Type.byKey.*.*");
    }

    record Named(String firstName, Inner homeAddress) {}

    @Test
    void knowsTheNamesThatTheMapperGives() {
        JsonMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build();

        assertThat(masked(
                        new JsonMessageSerializer(mapper, 1 << 20),
                        Named.class,
                        "{\"first_name\":\"Ann\",\"home_address\":{\"street\":\"Main\"}}"))
                .isEqualTo(tree("{'first_name':'Xxx','home_address':{'street':'Xxxx'}}"));
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

    @Test
    void keepsNamesOfPropertiesThatAreInlined() {
        assertThat(masked(Flat.class, "{\"name\":\"Ann\",\"street\":\"Main\"}"))
                .isEqualTo(tree("{'name':'Xxx','street':'Xxxx'}"));
    }

    record Even(int half) {
        Even {
            if (half % 10 != 9) {
                throw new IllegalArgumentException();
            }
        }
    }

    record Exact(int answer) {
        Exact {
            if (answer != 42) {
                throw new IllegalArgumentException();
            }
        }
    }

    @Test
    void masksSoThatTheClassReadsItAndLeavesItOutIfNothingDoes() {
        assertThat(masked(Even.class, "{\"half\":59}")).isEqualTo(tree("{'half':99}"));
        assertThat(masked(Exact.class, "{\"answer\":42}")).isNull();
        assertThat(masked(Exact.class, "{\"answer\":41}")).isNull();
        assertThat(omissions.all())
                .extracting(UpgradeSample.LeftOut::why)
                .containsExactly(
                        "cannot be read as before once its values are masked", "cannot be read by this version either");
    }

    @Test
    void keepsNothingOfWhatTheApplicationsMaskerHides() {
        assertThat(masked(
                        new JsonMessageSerializer(), Outer.class, "{\"name\":\"Ann\",\"inner\":[]}", "{\"inner\":[]}"))
                .isEqualTo(tree("{'inner':[]}"));
        assertThat(masked(new JsonMessageSerializer(), Colours.class, "{\"one\":\"RED\"}", "{\"one\":\"***\"}"))
                .isNull();
    }

    record Colours(Colour one) {}
}
