// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.safebunny.jdbc.store;

import org.jspecify.annotations.NullMarked;
