/** Takes the client from its sources, as they are here. An application that has installed it needs no such file. */
export default { resolve: { conditions: ["effect-aap-source", "module", "browser", "development|production"] } }
