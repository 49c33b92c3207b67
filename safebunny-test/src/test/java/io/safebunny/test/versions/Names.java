// SPDX-License-Identifier: Apache-2.0
package io.safebunny.test.versions;

import io.safebunny.BunnyMessage;
import io.safebunny.Upcast;
import tools.jackson.databind.node.ObjectNode;

/** One message type in three versions of an application, none of which could read the bodies of the next. */
final class Names {

    private Names() {}

    /** What each version makes of it. */
    interface Named {
        int number();

        String text();
    }

    @BunnyMessage(value = "NameChanged", orderBy = "key")
    record First(int number, String key, String name) implements Named {

        @Override
        public String text() {
            return name;
        }
    }

    @BunnyMessage(value = "NameChanged", orderBy = "key", version = 2)
    record Second(int number, String key, String first, String last) implements Named {

        @Upcast(from = 1)
        static ObjectNode split(ObjectNode body) {
            String[] parts = body.remove("name").asString().split(" ", -1);
            return body.put("first", parts[0]).put("last", parts[1]);
        }

        @Override
        public String text() {
            return first + " " + last;
        }
    }

    @BunnyMessage(value = "NameChanged", orderBy = "key", version = 3)
    record Third(int number, String key, Person person) implements Named {

        record Person(String first, String last) {}

        @Upcast(from = 1)
        static ObjectNode split(ObjectNode body) {
            return Second.split(body);
        }

        @Upcast(from = 2)
        static ObjectNode nested(ObjectNode body) {
            ObjectNode nested = body.objectNode();
            nested.set("first", body.remove("first"));
            nested.set("last", body.remove("last"));
            body.set("person", nested);
            return body;
        }

        @Override
        public String text() {
            return person.first() + " " + person.last();
        }
    }

    /** It is of the first version if its copy has lost the header, and is set aside then. */
    @BunnyMessage(value = "NameChanged", orderBy = "key", version = 2)
    record Marked(int number, String key) implements Named {

        @Upcast(from = 1)
        static ObjectNode lost(ObjectNode body) {
            if (body.isEmpty()) {
                return body;
            }
            throw new IllegalStateException("sb-version was lost");
        }

        @Override
        public String text() {
            return "marked";
        }
    }

    /** Like {@link Marked}, as the command of a saga. */
    @BunnyMessage(version = 2)
    record Reserve(String what) {

        @Upcast(from = 1)
        static ObjectNode lost(ObjectNode body) {
            return Marked.lost(body);
        }
    }

    /** Like {@link Marked}, as the undo of a saga. */
    @BunnyMessage(version = 2)
    record Release(String what) {

        @Upcast(from = 1)
        static ObjectNode lost(ObjectNode body) {
            return Marked.lost(body);
        }
    }
}
