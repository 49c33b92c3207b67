// SPDX-License-Identifier: Apache-2.0
package io.safebunny.serialization.json;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.util.UUID;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.cfg.MapperBuilderState;
import tools.jackson.databind.json.JsonMapper;

/** Builds a mapper for another format than JSON, with everything that a mapper for JSON has, limits included. */
final class OtherFormat extends MapperBuilder<ObjectMapper, OtherFormat> {

    private OtherFormat(MapperBuilderState state) {
        super(state);
    }

    static ObjectMapper of(JsonMapper strict, TokenStreamFactory factory) {
        JsonFactory json = strict.tokenStreamFactory();
        TokenStreamFactory limited = factory.rebuild()
                .streamReadConstraints(json.streamReadConstraints())
                .streamWriteConstraints(json.streamWriteConstraints())
                .build();
        OtherFormat builder = new OtherFormat(strict.rebuild().saveStateApplyModules());
        builder._streamFactory = limited;
        builder._formatReadFeatures = limited.getFormatReadFeatures();
        builder._formatWriteFeatures = limited.getFormatWriteFeatures();
        return builder
                // as in JSON: the 16 bytes that some formats have instead would be unreadable for people and upcasters
                .withConfigOverride(
                        UUID.class, override -> override.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING)))
                .build();
    }

    @Override
    public ObjectMapper build() {
        return new Mapper(this);
    }

    @Override
    protected MapperBuilderState _saveState() {
        return new State(this);
    }

    private static final class Mapper extends ObjectMapper {

        private static final long serialVersionUID = 1;

        Mapper(OtherFormat builder) {
            super(builder);
        }
    }

    private static final class State extends MapperBuilderState {

        private static final long serialVersionUID = 1;

        State(OtherFormat builder) {
            super(builder);
        }

        @Override
        protected Object readResolve() {
            return new OtherFormat(this).build();
        }
    }
}
