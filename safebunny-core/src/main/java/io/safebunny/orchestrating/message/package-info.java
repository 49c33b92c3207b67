// SPDX-License-Identifier: Apache-2.0
/** Makes the messages that sagas send: commands, undos, and those by which the library wakes, tells and repairs a saga. Sends none. */
@NullMarked
package io.safebunny.orchestrating.message;

import org.jspecify.annotations.NullMarked;
